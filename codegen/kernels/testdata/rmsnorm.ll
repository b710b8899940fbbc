target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@rmsnorm_59338a7f_sums = internal addrspace(3) global [48 x i8] undef, align 16

define ptx_kernel void @rmsnorm_59338a7f(i64 %x, i64 %weight, i64 %y, i64 %control) {
entry:
	%0 = inttoptr i64 %x to i8 addrspace(1)*
	%1 = inttoptr i64 %weight to i8 addrspace(1)*
	%2 = inttoptr i64 %y to i8 addrspace(1)*
	%3 = inttoptr i64 %control to i8 addrspace(1)*
	%4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
	%5 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
	br label %body.1

body.1:
	%6 = getelementptr i8, i8 addrspace(1)* %3, i64 8
	%7 = bitcast i8 addrspace(1)* %6 to i32 addrspace(1)*
	%8 = load i32, i32 addrspace(1)* %7, align 4
	%9 = call i32 @llvm.smax.i32(i32 %8, i32 0)
	%10 = call i32 @llvm.smin.i32(i32 %9, i32 8)
	%11 = icmp sge i32 %4, %10
	br i1 %11, label %return.2, label %body.3

return.2:
	ret void

body.3:
	%12 = zext i32 %4 to i64
	%13 = mul i64 %12, u0x6000
	%14 = getelementptr i8, i8 addrspace(1)* %0, i64 %13
	%15 = zext i32 %5 to i64
	%16 = mul i64 %15, 16
	%17 = getelementptr i8, i8 addrspace(1)* %14, i64 %16
	%18 = bitcast i8 addrspace(1)* %17 to <4 x float> addrspace(1)*
	%19 = load <4 x float>, <4 x float> addrspace(1)* %18, align 16
	%20 = extractelement <4 x float> %19, i32 0
	%21 = extractelement <4 x float> %19, i32 1
	%22 = extractelement <4 x float> %19, i32 2
	%23 = extractelement <4 x float> %19, i32 3
	%24 = add i32 %5, 384
	%25 = zext i32 %24 to i64
	%26 = mul i64 %25, 16
	%27 = getelementptr i8, i8 addrspace(1)* %14, i64 %26
	%28 = bitcast i8 addrspace(1)* %27 to <4 x float> addrspace(1)*
	%29 = load <4 x float>, <4 x float> addrspace(1)* %28, align 16
	%30 = extractelement <4 x float> %29, i32 0
	%31 = extractelement <4 x float> %29, i32 1
	%32 = extractelement <4 x float> %29, i32 2
	%33 = extractelement <4 x float> %29, i32 3
	%34 = add i32 %5, 768
	%35 = zext i32 %34 to i64
	%36 = mul i64 %35, 16
	%37 = getelementptr i8, i8 addrspace(1)* %14, i64 %36
	%38 = bitcast i8 addrspace(1)* %37 to <4 x float> addrspace(1)*
	%39 = load <4 x float>, <4 x float> addrspace(1)* %38, align 16
	%40 = extractelement <4 x float> %39, i32 0
	%41 = extractelement <4 x float> %39, i32 1
	%42 = extractelement <4 x float> %39, i32 2
	%43 = extractelement <4 x float> %39, i32 3
	%44 = add i32 %5, 1152
	%45 = zext i32 %44 to i64
	%46 = mul i64 %45, 16
	%47 = getelementptr i8, i8 addrspace(1)* %14, i64 %46
	%48 = bitcast i8 addrspace(1)* %47 to <4 x float> addrspace(1)*
	%49 = load <4 x float>, <4 x float> addrspace(1)* %48, align 16
	%50 = extractelement <4 x float> %49, i32 0
	%51 = extractelement <4 x float> %49, i32 1
	%52 = extractelement <4 x float> %49, i32 2
	%53 = extractelement <4 x float> %49, i32 3
	%54 = zext i32 %5 to i64
	%55 = mul i64 %54, 16
	%56 = getelementptr i8, i8 addrspace(1)* %1, i64 %55
	%57 = bitcast i8 addrspace(1)* %56 to <4 x float> addrspace(1)*
	%58 = load <4 x float>, <4 x float> addrspace(1)* %57, align 16, !invariant.load !0
	%59 = extractelement <4 x float> %58, i32 0
	%60 = extractelement <4 x float> %58, i32 1
	%61 = extractelement <4 x float> %58, i32 2
	%62 = extractelement <4 x float> %58, i32 3
	%63 = add i32 %5, 384
	%64 = zext i32 %63 to i64
	%65 = mul i64 %64, 16
	%66 = getelementptr i8, i8 addrspace(1)* %1, i64 %65
	%67 = bitcast i8 addrspace(1)* %66 to <4 x float> addrspace(1)*
	%68 = load <4 x float>, <4 x float> addrspace(1)* %67, align 16, !invariant.load !0
	%69 = extractelement <4 x float> %68, i32 0
	%70 = extractelement <4 x float> %68, i32 1
	%71 = extractelement <4 x float> %68, i32 2
	%72 = extractelement <4 x float> %68, i32 3
	%73 = add i32 %5, 768
	%74 = zext i32 %73 to i64
	%75 = mul i64 %74, 16
	%76 = getelementptr i8, i8 addrspace(1)* %1, i64 %75
	%77 = bitcast i8 addrspace(1)* %76 to <4 x float> addrspace(1)*
	%78 = load <4 x float>, <4 x float> addrspace(1)* %77, align 16, !invariant.load !0
	%79 = extractelement <4 x float> %78, i32 0
	%80 = extractelement <4 x float> %78, i32 1
	%81 = extractelement <4 x float> %78, i32 2
	%82 = extractelement <4 x float> %78, i32 3
	%83 = add i32 %5, 1152
	%84 = zext i32 %83 to i64
	%85 = mul i64 %84, 16
	%86 = getelementptr i8, i8 addrspace(1)* %1, i64 %85
	%87 = bitcast i8 addrspace(1)* %86 to <4 x float> addrspace(1)*
	%88 = load <4 x float>, <4 x float> addrspace(1)* %87, align 16, !invariant.load !0
	%89 = extractelement <4 x float> %88, i32 0
	%90 = extractelement <4 x float> %88, i32 1
	%91 = extractelement <4 x float> %88, i32 2
	%92 = extractelement <4 x float> %88, i32 3
	%93 = call float @llvm.fma.f32(float %20, float %20, float 0.0)
	%94 = call float @llvm.fma.f32(float %21, float %21, float %93)
	%95 = call float @llvm.fma.f32(float %22, float %22, float %94)
	%96 = call float @llvm.fma.f32(float %23, float %23, float %95)
	%97 = call float @llvm.fma.f32(float %30, float %30, float %96)
	%98 = call float @llvm.fma.f32(float %31, float %31, float %97)
	%99 = call float @llvm.fma.f32(float %32, float %32, float %98)
	%100 = call float @llvm.fma.f32(float %33, float %33, float %99)
	%101 = call float @llvm.fma.f32(float %40, float %40, float %100)
	%102 = call float @llvm.fma.f32(float %41, float %41, float %101)
	%103 = call float @llvm.fma.f32(float %42, float %42, float %102)
	%104 = call float @llvm.fma.f32(float %43, float %43, float %103)
	%105 = call float @llvm.fma.f32(float %50, float %50, float %104)
	%106 = call float @llvm.fma.f32(float %51, float %51, float %105)
	%107 = call float @llvm.fma.f32(float %52, float %52, float %106)
	%108 = call float @llvm.fma.f32(float %53, float %53, float %107)
	%109 = bitcast float %108 to i32
	%110 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %109, i32 16) convergent nounwind
	%111 = bitcast i32 %110 to float
	%112 = fadd float %108, %111
	%113 = bitcast float %112 to i32
	%114 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %113, i32 8) convergent nounwind
	%115 = bitcast i32 %114 to float
	%116 = fadd float %112, %115
	%117 = bitcast float %116 to i32
	%118 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %117, i32 4) convergent nounwind
	%119 = bitcast i32 %118 to float
	%120 = fadd float %116, %119
	%121 = bitcast float %120 to i32
	%122 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %121, i32 2) convergent nounwind
	%123 = bitcast i32 %122 to float
	%124 = fadd float %120, %123
	%125 = bitcast float %124 to i32
	%126 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %125, i32 1) convergent nounwind
	%127 = bitcast i32 %126 to float
	%128 = fadd float %124, %127
	%129 = and i32 %5, 31
	%130 = icmp eq i32 %129, 0
	br i1 %130, label %then.4, label %end.5

then.4:
	%131 = lshr i32 %5, 5
	%132 = mul i32 %131, 4
	%133 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 %132
	%134 = bitcast i8 addrspace(3)* %133 to float addrspace(3)*
	store float %128, float addrspace(3)* %134, align 4
	br label %end.5

end.5:
	call void asm sideeffect "bar.sync 0;", "~{memory}"() convergent nounwind
	%135 = bitcast i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*) to float addrspace(3)*
	%136 = load float, float addrspace(3)* %135, align 4
	%137 = fadd float 0.0, %136
	%138 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 4
	%139 = bitcast i8 addrspace(3)* %138 to float addrspace(3)*
	%140 = load float, float addrspace(3)* %139, align 4
	%141 = fadd float %137, %140
	%142 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 8
	%143 = bitcast i8 addrspace(3)* %142 to float addrspace(3)*
	%144 = load float, float addrspace(3)* %143, align 4
	%145 = fadd float %141, %144
	%146 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 12
	%147 = bitcast i8 addrspace(3)* %146 to float addrspace(3)*
	%148 = load float, float addrspace(3)* %147, align 4
	%149 = fadd float %145, %148
	%150 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 16
	%151 = bitcast i8 addrspace(3)* %150 to float addrspace(3)*
	%152 = load float, float addrspace(3)* %151, align 4
	%153 = fadd float %149, %152
	%154 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 20
	%155 = bitcast i8 addrspace(3)* %154 to float addrspace(3)*
	%156 = load float, float addrspace(3)* %155, align 4
	%157 = fadd float %153, %156
	%158 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 24
	%159 = bitcast i8 addrspace(3)* %158 to float addrspace(3)*
	%160 = load float, float addrspace(3)* %159, align 4
	%161 = fadd float %157, %160
	%162 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 28
	%163 = bitcast i8 addrspace(3)* %162 to float addrspace(3)*
	%164 = load float, float addrspace(3)* %163, align 4
	%165 = fadd float %161, %164
	%166 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 32
	%167 = bitcast i8 addrspace(3)* %166 to float addrspace(3)*
	%168 = load float, float addrspace(3)* %167, align 4
	%169 = fadd float %165, %168
	%170 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 36
	%171 = bitcast i8 addrspace(3)* %170 to float addrspace(3)*
	%172 = load float, float addrspace(3)* %171, align 4
	%173 = fadd float %169, %172
	%174 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 40
	%175 = bitcast i8 addrspace(3)* %174 to float addrspace(3)*
	%176 = load float, float addrspace(3)* %175, align 4
	%177 = fadd float %173, %176
	%178 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 44
	%179 = bitcast i8 addrspace(3)* %178 to float addrspace(3)*
	%180 = load float, float addrspace(3)* %179, align 4
	%181 = fadd float %177, %180
	%182 = fmul float %181, 0x3F25555560000000
	%183 = fadd float %182, 0x3EE4F8B580000000
	%184 = call float @llvm.sqrt.f32(float %183)
	%185 = fdiv float 1.0, %184
	%186 = fmul float %20, %185
	%187 = fmul float %186, %59
	%188 = fmul float %21, %185
	%189 = fmul float %188, %60
	%190 = fmul float %22, %185
	%191 = fmul float %190, %61
	%192 = fmul float %23, %185
	%193 = fmul float %192, %62
	%194 = fmul float %30, %185
	%195 = fmul float %194, %69
	%196 = fmul float %31, %185
	%197 = fmul float %196, %70
	%198 = fmul float %32, %185
	%199 = fmul float %198, %71
	%200 = fmul float %33, %185
	%201 = fmul float %200, %72
	%202 = fmul float %40, %185
	%203 = fmul float %202, %79
	%204 = fmul float %41, %185
	%205 = fmul float %204, %80
	%206 = fmul float %42, %185
	%207 = fmul float %206, %81
	%208 = fmul float %43, %185
	%209 = fmul float %208, %82
	%210 = fmul float %50, %185
	%211 = fmul float %210, %89
	%212 = fmul float %51, %185
	%213 = fmul float %212, %90
	%214 = fmul float %52, %185
	%215 = fmul float %214, %91
	%216 = fmul float %53, %185
	%217 = fmul float %216, %92
	%218 = zext i32 %4 to i64
	%219 = mul i64 %218, u0x6000
	%220 = getelementptr i8, i8 addrspace(1)* %2, i64 %219
	%221 = zext i32 %5 to i64
	%222 = mul i64 %221, 16
	%223 = getelementptr i8, i8 addrspace(1)* %220, i64 %222
	%224 = insertelement <4 x float> undef, float %187, i32 0
	%225 = insertelement <4 x float> %224, float %189, i32 1
	%226 = insertelement <4 x float> %225, float %191, i32 2
	%227 = insertelement <4 x float> %226, float %193, i32 3
	%228 = bitcast i8 addrspace(1)* %223 to <4 x float> addrspace(1)*
	store <4 x float> %227, <4 x float> addrspace(1)* %228, align 16
	%229 = add i32 %5, 384
	%230 = zext i32 %229 to i64
	%231 = mul i64 %230, 16
	%232 = getelementptr i8, i8 addrspace(1)* %220, i64 %231
	%233 = insertelement <4 x float> undef, float %195, i32 0
	%234 = insertelement <4 x float> %233, float %197, i32 1
	%235 = insertelement <4 x float> %234, float %199, i32 2
	%236 = insertelement <4 x float> %235, float %201, i32 3
	%237 = bitcast i8 addrspace(1)* %232 to <4 x float> addrspace(1)*
	store <4 x float> %236, <4 x float> addrspace(1)* %237, align 16
	%238 = add i32 %5, 768
	%239 = zext i32 %238 to i64
	%240 = mul i64 %239, 16
	%241 = getelementptr i8, i8 addrspace(1)* %220, i64 %240
	%242 = insertelement <4 x float> undef, float %203, i32 0
	%243 = insertelement <4 x float> %242, float %205, i32 1
	%244 = insertelement <4 x float> %243, float %207, i32 2
	%245 = insertelement <4 x float> %244, float %209, i32 3
	%246 = bitcast i8 addrspace(1)* %241 to <4 x float> addrspace(1)*
	store <4 x float> %245, <4 x float> addrspace(1)* %246, align 16
	%247 = add i32 %5, 1152
	%248 = zext i32 %247 to i64
	%249 = mul i64 %248, 16
	%250 = getelementptr i8, i8 addrspace(1)* %220, i64 %249
	%251 = insertelement <4 x float> undef, float %211, i32 0
	%252 = insertelement <4 x float> %251, float %213, i32 1
	%253 = insertelement <4 x float> %252, float %215, i32 2
	%254 = insertelement <4 x float> %253, float %217, i32 3
	%255 = bitcast i8 addrspace(1)* %250 to <4 x float> addrspace(1)*
	store <4 x float> %254, <4 x float> addrspace(1)* %255, align 16
	ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() nounwind

declare i32 @llvm.smax.i32(i32 %0, i32 %1) nounwind

declare i32 @llvm.smin.i32(i32 %0, i32 %1) nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() nounwind

declare float @llvm.fma.f32(float %0, float %1, float %2) nounwind

declare float @llvm.sqrt.f32(float %0) nounwind

!nvvm.annotations = !{!1}

!0 = !{}
!1 = !{void (i64, i64, i64, i64)* @rmsnorm_59338a7f, !"maxntidx", i32 384}
