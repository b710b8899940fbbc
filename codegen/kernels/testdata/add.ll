target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @add_9df0b6dc(i64 %a, i64 %b, i64 %y, i64 %control) {
entry:
	%0 = inttoptr i64 %a to i8 addrspace(1)*
	%1 = inttoptr i64 %b to i8 addrspace(1)*
	%2 = inttoptr i64 %y to i8 addrspace(1)*
	%3 = inttoptr i64 %control to i8 addrspace(1)*
	%4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
	%5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
	%6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
	br label %body.1

body.1:
	%7 = mul i32 %5, 256
	%8 = add i32 %7, %6
	%9 = getelementptr i8, i8 addrspace(1)* %3, i64 8
	%10 = bitcast i8 addrspace(1)* %9 to i32 addrspace(1)*
	%11 = load i32, i32 addrspace(1)* %10, align 4
	%12 = call i32 @llvm.smax.i32(i32 %11, i32 0)
	%13 = call i32 @llvm.smin.i32(i32 %12, i32 8)
	%14 = icmp slt i32 %4, %13
	%15 = icmp slt i32 %8, 1536
	%16 = and i1 %14, %15
	br i1 %16, label %then.2, label %end.3

then.2:
	%17 = zext i32 %4 to i64
	%18 = mul i64 %17, u0x6000
	%19 = getelementptr i8, i8 addrspace(1)* %0, i64 %18
	%20 = zext i32 %8 to i64
	%21 = mul i64 %20, 16
	%22 = getelementptr i8, i8 addrspace(1)* %19, i64 %21
	%23 = bitcast i8 addrspace(1)* %22 to <4 x float> addrspace(1)*
	%24 = load <4 x float>, <4 x float> addrspace(1)* %23, align 16
	%25 = extractelement <4 x float> %24, i32 0
	%26 = extractelement <4 x float> %24, i32 1
	%27 = extractelement <4 x float> %24, i32 2
	%28 = extractelement <4 x float> %24, i32 3
	%29 = zext i32 %4 to i64
	%30 = mul i64 %29, u0x6000
	%31 = getelementptr i8, i8 addrspace(1)* %1, i64 %30
	%32 = zext i32 %8 to i64
	%33 = mul i64 %32, 16
	%34 = getelementptr i8, i8 addrspace(1)* %31, i64 %33
	%35 = bitcast i8 addrspace(1)* %34 to <4 x float> addrspace(1)*
	%36 = load <4 x float>, <4 x float> addrspace(1)* %35, align 16
	%37 = extractelement <4 x float> %36, i32 0
	%38 = extractelement <4 x float> %36, i32 1
	%39 = extractelement <4 x float> %36, i32 2
	%40 = extractelement <4 x float> %36, i32 3
	%41 = fadd float %25, %37
	%42 = fadd float %26, %38
	%43 = fadd float %27, %39
	%44 = fadd float %28, %40
	%45 = zext i32 %4 to i64
	%46 = mul i64 %45, u0x6000
	%47 = getelementptr i8, i8 addrspace(1)* %2, i64 %46
	%48 = zext i32 %8 to i64
	%49 = mul i64 %48, 16
	%50 = getelementptr i8, i8 addrspace(1)* %47, i64 %49
	%51 = insertelement <4 x float> undef, float %41, i32 0
	%52 = insertelement <4 x float> %51, float %42, i32 1
	%53 = insertelement <4 x float> %52, float %43, i32 2
	%54 = insertelement <4 x float> %53, float %44, i32 3
	%55 = bitcast i8 addrspace(1)* %50 to <4 x float> addrspace(1)*
	store <4 x float> %54, <4 x float> addrspace(1)* %55, align 16
	br label %end.3

end.3:
	ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() nounwind

declare i32 @llvm.smax.i32(i32 %0, i32 %1) nounwind

declare i32 @llvm.smin.i32(i32 %0, i32 %1) nounwind

!nvvm.annotations = !{!0}

!0 = !{void (i64, i64, i64, i64)* @add_9df0b6dc, !"maxntidx", i32 256}
