target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() nounwind

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() nounwind

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
	call void asm sideeffect "griddepcontrol.wait;", "~{memory}"() nounwind
	call void asm sideeffect "griddepcontrol.launch_dependents;", "~{memory}"() nounwind
	%7 = mul i32 %5, 256
	%8 = add i32 %7, %6
	%9 = getelementptr i8, i8 addrspace(1)* %3, i64 8
	%10 = bitcast i8 addrspace(1)* %9 to i32 addrspace(1)*
	%11 = load i32, i32 addrspace(1)* %10, align 4
	%12 = icmp slt i32 %4, %11
	%13 = icmp slt i32 %8, 1536
	%14 = and i1 %12, %13
	br i1 %14, label %then.2, label %end.3

then.2:
	%15 = zext i32 %4 to i64
	%16 = mul i64 %15, u0x6000
	%17 = getelementptr i8, i8 addrspace(1)* %0, i64 %16
	%18 = zext i32 %8 to i64
	%19 = mul i64 %18, 16
	%20 = getelementptr i8, i8 addrspace(1)* %17, i64 %19
	%21 = bitcast i8 addrspace(1)* %20 to <4 x float> addrspace(1)*
	%22 = load <4 x float>, <4 x float> addrspace(1)* %21, align 16
	%23 = extractelement <4 x float> %22, i32 0
	%24 = extractelement <4 x float> %22, i32 1
	%25 = extractelement <4 x float> %22, i32 2
	%26 = extractelement <4 x float> %22, i32 3
	%27 = zext i32 %4 to i64
	%28 = mul i64 %27, u0x6000
	%29 = getelementptr i8, i8 addrspace(1)* %1, i64 %28
	%30 = zext i32 %8 to i64
	%31 = mul i64 %30, 16
	%32 = getelementptr i8, i8 addrspace(1)* %29, i64 %31
	%33 = bitcast i8 addrspace(1)* %32 to <4 x float> addrspace(1)*
	%34 = load <4 x float>, <4 x float> addrspace(1)* %33, align 16
	%35 = extractelement <4 x float> %34, i32 0
	%36 = extractelement <4 x float> %34, i32 1
	%37 = extractelement <4 x float> %34, i32 2
	%38 = extractelement <4 x float> %34, i32 3
	%39 = fadd float %23, %35
	%40 = fadd float %24, %36
	%41 = fadd float %25, %37
	%42 = fadd float %26, %38
	%43 = zext i32 %4 to i64
	%44 = mul i64 %43, u0x6000
	%45 = getelementptr i8, i8 addrspace(1)* %2, i64 %44
	%46 = zext i32 %8 to i64
	%47 = mul i64 %46, 16
	%48 = getelementptr i8, i8 addrspace(1)* %45, i64 %47
	%49 = insertelement <4 x float> undef, float %39, i32 0
	%50 = insertelement <4 x float> %49, float %40, i32 1
	%51 = insertelement <4 x float> %50, float %41, i32 2
	%52 = insertelement <4 x float> %51, float %42, i32 3
	%53 = bitcast i8 addrspace(1)* %48 to <4 x float> addrspace(1)*
	store <4 x float> %52, <4 x float> addrspace(1)* %53, align 16
	br label %end.3

end.3:
	ret void
}

!nvvm.annotations = !{!0}

!0 = !{void (i64, i64, i64, i64)* @add_9df0b6dc, !"maxntidx", i32 256}
