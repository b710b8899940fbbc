target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@rmsnorm_59338a7f_sums = internal addrspace(3) global [48 x i8] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() nounwind

declare float @llvm.fma.f32(float %0, float %1, float %2) nounwind

declare float @llvm.sqrt.f32(float %0) nounwind

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
	call void asm sideeffect "griddepcontrol.wait;", "~{memory}"() nounwind
	call void asm sideeffect "griddepcontrol.launch_dependents;", "~{memory}"() nounwind
	%6 = getelementptr i8, i8 addrspace(1)* %3, i64 8
	%7 = bitcast i8 addrspace(1)* %6 to i32 addrspace(1)*
	%8 = load i32, i32 addrspace(1)* %7, align 4
	%9 = icmp sge i32 %4, %8
	br i1 %9, label %return.2, label %body.3

return.2:
	ret void

body.3:
	%10 = zext i32 %4 to i64
	%11 = mul i64 %10, u0x6000
	%12 = getelementptr i8, i8 addrspace(1)* %0, i64 %11
	%13 = zext i32 %5 to i64
	%14 = mul i64 %13, 16
	%15 = getelementptr i8, i8 addrspace(1)* %12, i64 %14
	%16 = bitcast i8 addrspace(1)* %15 to <4 x float> addrspace(1)*
	%17 = load <4 x float>, <4 x float> addrspace(1)* %16, align 16
	%18 = extractelement <4 x float> %17, i32 0
	%19 = extractelement <4 x float> %17, i32 1
	%20 = extractelement <4 x float> %17, i32 2
	%21 = extractelement <4 x float> %17, i32 3
	%22 = add i32 %5, 384
	%23 = zext i32 %22 to i64
	%24 = mul i64 %23, 16
	%25 = getelementptr i8, i8 addrspace(1)* %12, i64 %24
	%26 = bitcast i8 addrspace(1)* %25 to <4 x float> addrspace(1)*
	%27 = load <4 x float>, <4 x float> addrspace(1)* %26, align 16
	%28 = extractelement <4 x float> %27, i32 0
	%29 = extractelement <4 x float> %27, i32 1
	%30 = extractelement <4 x float> %27, i32 2
	%31 = extractelement <4 x float> %27, i32 3
	%32 = add i32 %5, 768
	%33 = zext i32 %32 to i64
	%34 = mul i64 %33, 16
	%35 = getelementptr i8, i8 addrspace(1)* %12, i64 %34
	%36 = bitcast i8 addrspace(1)* %35 to <4 x float> addrspace(1)*
	%37 = load <4 x float>, <4 x float> addrspace(1)* %36, align 16
	%38 = extractelement <4 x float> %37, i32 0
	%39 = extractelement <4 x float> %37, i32 1
	%40 = extractelement <4 x float> %37, i32 2
	%41 = extractelement <4 x float> %37, i32 3
	%42 = add i32 %5, 1152
	%43 = zext i32 %42 to i64
	%44 = mul i64 %43, 16
	%45 = getelementptr i8, i8 addrspace(1)* %12, i64 %44
	%46 = bitcast i8 addrspace(1)* %45 to <4 x float> addrspace(1)*
	%47 = load <4 x float>, <4 x float> addrspace(1)* %46, align 16
	%48 = extractelement <4 x float> %47, i32 0
	%49 = extractelement <4 x float> %47, i32 1
	%50 = extractelement <4 x float> %47, i32 2
	%51 = extractelement <4 x float> %47, i32 3
	%52 = zext i32 %5 to i64
	%53 = mul i64 %52, 16
	%54 = getelementptr i8, i8 addrspace(1)* %1, i64 %53
	%55 = bitcast i8 addrspace(1)* %54 to <4 x float> addrspace(1)*
	%56 = load <4 x float>, <4 x float> addrspace(1)* %55, align 16, !invariant.load !0
	%57 = extractelement <4 x float> %56, i32 0
	%58 = extractelement <4 x float> %56, i32 1
	%59 = extractelement <4 x float> %56, i32 2
	%60 = extractelement <4 x float> %56, i32 3
	%61 = add i32 %5, 384
	%62 = zext i32 %61 to i64
	%63 = mul i64 %62, 16
	%64 = getelementptr i8, i8 addrspace(1)* %1, i64 %63
	%65 = bitcast i8 addrspace(1)* %64 to <4 x float> addrspace(1)*
	%66 = load <4 x float>, <4 x float> addrspace(1)* %65, align 16, !invariant.load !0
	%67 = extractelement <4 x float> %66, i32 0
	%68 = extractelement <4 x float> %66, i32 1
	%69 = extractelement <4 x float> %66, i32 2
	%70 = extractelement <4 x float> %66, i32 3
	%71 = add i32 %5, 768
	%72 = zext i32 %71 to i64
	%73 = mul i64 %72, 16
	%74 = getelementptr i8, i8 addrspace(1)* %1, i64 %73
	%75 = bitcast i8 addrspace(1)* %74 to <4 x float> addrspace(1)*
	%76 = load <4 x float>, <4 x float> addrspace(1)* %75, align 16, !invariant.load !0
	%77 = extractelement <4 x float> %76, i32 0
	%78 = extractelement <4 x float> %76, i32 1
	%79 = extractelement <4 x float> %76, i32 2
	%80 = extractelement <4 x float> %76, i32 3
	%81 = add i32 %5, 1152
	%82 = zext i32 %81 to i64
	%83 = mul i64 %82, 16
	%84 = getelementptr i8, i8 addrspace(1)* %1, i64 %83
	%85 = bitcast i8 addrspace(1)* %84 to <4 x float> addrspace(1)*
	%86 = load <4 x float>, <4 x float> addrspace(1)* %85, align 16, !invariant.load !0
	%87 = extractelement <4 x float> %86, i32 0
	%88 = extractelement <4 x float> %86, i32 1
	%89 = extractelement <4 x float> %86, i32 2
	%90 = extractelement <4 x float> %86, i32 3
	%91 = call float @llvm.fma.f32(float %18, float %18, float 0.0)
	%92 = call float @llvm.fma.f32(float %19, float %19, float %91)
	%93 = call float @llvm.fma.f32(float %20, float %20, float %92)
	%94 = call float @llvm.fma.f32(float %21, float %21, float %93)
	%95 = call float @llvm.fma.f32(float %28, float %28, float %94)
	%96 = call float @llvm.fma.f32(float %29, float %29, float %95)
	%97 = call float @llvm.fma.f32(float %30, float %30, float %96)
	%98 = call float @llvm.fma.f32(float %31, float %31, float %97)
	%99 = call float @llvm.fma.f32(float %38, float %38, float %98)
	%100 = call float @llvm.fma.f32(float %39, float %39, float %99)
	%101 = call float @llvm.fma.f32(float %40, float %40, float %100)
	%102 = call float @llvm.fma.f32(float %41, float %41, float %101)
	%103 = call float @llvm.fma.f32(float %48, float %48, float %102)
	%104 = call float @llvm.fma.f32(float %49, float %49, float %103)
	%105 = call float @llvm.fma.f32(float %50, float %50, float %104)
	%106 = call float @llvm.fma.f32(float %51, float %51, float %105)
	%107 = bitcast float %106 to i32
	%108 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %107, i32 16) convergent nounwind
	%109 = bitcast i32 %108 to float
	%110 = fadd float %106, %109
	%111 = bitcast float %110 to i32
	%112 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %111, i32 8) convergent nounwind
	%113 = bitcast i32 %112 to float
	%114 = fadd float %110, %113
	%115 = bitcast float %114 to i32
	%116 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %115, i32 4) convergent nounwind
	%117 = bitcast i32 %116 to float
	%118 = fadd float %114, %117
	%119 = bitcast float %118 to i32
	%120 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %119, i32 2) convergent nounwind
	%121 = bitcast i32 %120 to float
	%122 = fadd float %118, %121
	%123 = bitcast float %122 to i32
	%124 = call i32 asm "shfl.sync.bfly.b32 $0, $1, $2, 31, -1;", "=r,r,r"(i32 %123, i32 1) convergent nounwind
	%125 = bitcast i32 %124 to float
	%126 = fadd float %122, %125
	%127 = and i32 %5, 31
	%128 = icmp eq i32 %127, 0
	br i1 %128, label %then.4, label %end.5

then.4:
	%129 = lshr i32 %5, 5
	%130 = mul i32 %129, 4
	%131 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 %130
	%132 = bitcast i8 addrspace(3)* %131 to float addrspace(3)*
	store float %126, float addrspace(3)* %132, align 4
	br label %end.5

end.5:
	call void asm sideeffect "bar.sync 0;", "~{memory}"() convergent nounwind
	%133 = bitcast i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*) to float addrspace(3)*
	%134 = load float, float addrspace(3)* %133, align 4
	%135 = fadd float 0.0, %134
	%136 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 4
	%137 = bitcast i8 addrspace(3)* %136 to float addrspace(3)*
	%138 = load float, float addrspace(3)* %137, align 4
	%139 = fadd float %135, %138
	%140 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 8
	%141 = bitcast i8 addrspace(3)* %140 to float addrspace(3)*
	%142 = load float, float addrspace(3)* %141, align 4
	%143 = fadd float %139, %142
	%144 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 12
	%145 = bitcast i8 addrspace(3)* %144 to float addrspace(3)*
	%146 = load float, float addrspace(3)* %145, align 4
	%147 = fadd float %143, %146
	%148 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 16
	%149 = bitcast i8 addrspace(3)* %148 to float addrspace(3)*
	%150 = load float, float addrspace(3)* %149, align 4
	%151 = fadd float %147, %150
	%152 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 20
	%153 = bitcast i8 addrspace(3)* %152 to float addrspace(3)*
	%154 = load float, float addrspace(3)* %153, align 4
	%155 = fadd float %151, %154
	%156 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 24
	%157 = bitcast i8 addrspace(3)* %156 to float addrspace(3)*
	%158 = load float, float addrspace(3)* %157, align 4
	%159 = fadd float %155, %158
	%160 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 28
	%161 = bitcast i8 addrspace(3)* %160 to float addrspace(3)*
	%162 = load float, float addrspace(3)* %161, align 4
	%163 = fadd float %159, %162
	%164 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 32
	%165 = bitcast i8 addrspace(3)* %164 to float addrspace(3)*
	%166 = load float, float addrspace(3)* %165, align 4
	%167 = fadd float %163, %166
	%168 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 36
	%169 = bitcast i8 addrspace(3)* %168 to float addrspace(3)*
	%170 = load float, float addrspace(3)* %169, align 4
	%171 = fadd float %167, %170
	%172 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 40
	%173 = bitcast i8 addrspace(3)* %172 to float addrspace(3)*
	%174 = load float, float addrspace(3)* %173, align 4
	%175 = fadd float %171, %174
	%176 = getelementptr i8, i8 addrspace(3)* bitcast ([48 x i8] addrspace(3)* @rmsnorm_59338a7f_sums to i8 addrspace(3)*), i32 44
	%177 = bitcast i8 addrspace(3)* %176 to float addrspace(3)*
	%178 = load float, float addrspace(3)* %177, align 4
	%179 = fadd float %175, %178
	%180 = fmul float %179, 0x3F25555560000000
	%181 = fadd float %180, 0x3EE4F8B580000000
	%182 = call float @llvm.sqrt.f32(float %181)
	%183 = fdiv float 1.0, %182
	%184 = fmul float %18, %183
	%185 = fmul float %184, %57
	%186 = fmul float %19, %183
	%187 = fmul float %186, %58
	%188 = fmul float %20, %183
	%189 = fmul float %188, %59
	%190 = fmul float %21, %183
	%191 = fmul float %190, %60
	%192 = fmul float %28, %183
	%193 = fmul float %192, %67
	%194 = fmul float %29, %183
	%195 = fmul float %194, %68
	%196 = fmul float %30, %183
	%197 = fmul float %196, %69
	%198 = fmul float %31, %183
	%199 = fmul float %198, %70
	%200 = fmul float %38, %183
	%201 = fmul float %200, %77
	%202 = fmul float %39, %183
	%203 = fmul float %202, %78
	%204 = fmul float %40, %183
	%205 = fmul float %204, %79
	%206 = fmul float %41, %183
	%207 = fmul float %206, %80
	%208 = fmul float %48, %183
	%209 = fmul float %208, %87
	%210 = fmul float %49, %183
	%211 = fmul float %210, %88
	%212 = fmul float %50, %183
	%213 = fmul float %212, %89
	%214 = fmul float %51, %183
	%215 = fmul float %214, %90
	%216 = zext i32 %4 to i64
	%217 = mul i64 %216, u0x6000
	%218 = getelementptr i8, i8 addrspace(1)* %2, i64 %217
	%219 = zext i32 %5 to i64
	%220 = mul i64 %219, 16
	%221 = getelementptr i8, i8 addrspace(1)* %218, i64 %220
	%222 = insertelement <4 x float> undef, float %185, i32 0
	%223 = insertelement <4 x float> %222, float %187, i32 1
	%224 = insertelement <4 x float> %223, float %189, i32 2
	%225 = insertelement <4 x float> %224, float %191, i32 3
	%226 = bitcast i8 addrspace(1)* %221 to <4 x float> addrspace(1)*
	store <4 x float> %225, <4 x float> addrspace(1)* %226, align 16
	%227 = add i32 %5, 384
	%228 = zext i32 %227 to i64
	%229 = mul i64 %228, 16
	%230 = getelementptr i8, i8 addrspace(1)* %218, i64 %229
	%231 = insertelement <4 x float> undef, float %193, i32 0
	%232 = insertelement <4 x float> %231, float %195, i32 1
	%233 = insertelement <4 x float> %232, float %197, i32 2
	%234 = insertelement <4 x float> %233, float %199, i32 3
	%235 = bitcast i8 addrspace(1)* %230 to <4 x float> addrspace(1)*
	store <4 x float> %234, <4 x float> addrspace(1)* %235, align 16
	%236 = add i32 %5, 768
	%237 = zext i32 %236 to i64
	%238 = mul i64 %237, 16
	%239 = getelementptr i8, i8 addrspace(1)* %218, i64 %238
	%240 = insertelement <4 x float> undef, float %201, i32 0
	%241 = insertelement <4 x float> %240, float %203, i32 1
	%242 = insertelement <4 x float> %241, float %205, i32 2
	%243 = insertelement <4 x float> %242, float %207, i32 3
	%244 = bitcast i8 addrspace(1)* %239 to <4 x float> addrspace(1)*
	store <4 x float> %243, <4 x float> addrspace(1)* %244, align 16
	%245 = add i32 %5, 1152
	%246 = zext i32 %245 to i64
	%247 = mul i64 %246, 16
	%248 = getelementptr i8, i8 addrspace(1)* %218, i64 %247
	%249 = insertelement <4 x float> undef, float %209, i32 0
	%250 = insertelement <4 x float> %249, float %211, i32 1
	%251 = insertelement <4 x float> %250, float %213, i32 2
	%252 = insertelement <4 x float> %251, float %215, i32 3
	%253 = bitcast i8 addrspace(1)* %248 to <4 x float> addrspace(1)*
	store <4 x float> %252, <4 x float> addrspace(1)* %253, align 16
	ret void
}

!nvvm.annotations = !{!1}

!0 = !{}
!1 = !{void (i64, i64, i64, i64)* @rmsnorm_59338a7f, !"maxntidx", i32 384}
