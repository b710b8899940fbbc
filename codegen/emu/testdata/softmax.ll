; Row softmax over 200 columns of f32, one block of 128 threads a row, as the builder would emit
; it: phis, shared memory, shuffles and fast functions as inline assembly, typed pointers.
target triple = "nvptx64-nvidia-cuda"
@part = internal addrspace(3) global [8 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.maxnum.f32(float, float)

define void @softmax(i64 %x, i64 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %rowoff = mul i32 %row, 200
  %row64 = zext i32 %rowoff to i64
  %xp = inttoptr i64 %x to float addrspace(1)*
  %yp = inttoptr i64 %y to float addrspace(1)*
  %xr = getelementptr float, float addrspace(1)* %xp, i64 %row64
  %yr = getelementptr float, float addrspace(1)* %yp, i64 %row64
  br label %maxloop
maxloop:
  %i = phi i32 [ %t, %entry ], [ %i2, %maxloop ]
  %m = phi float [ 0xFFF0000000000000, %entry ], [ %m2, %maxloop ]
  %i64 = zext i32 %i to i64
  %p = getelementptr float, float addrspace(1)* %xr, i64 %i64
  %v = load float, float addrspace(1)* %p, !invariant.load !0
  %m2 = call float @llvm.maxnum.f32(float %m, float %v)
  %i2 = add i32 %i, 128
  %go = icmp ult i32 %i2, 200
  br i1 %go, label %maxloop, label %maxdone
maxdone:
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %r16 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 16, 31, -1;", "=f,f"(float %m2)
  %a16 = call float @llvm.maxnum.f32(float %m2, float %r16)
  %r8 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 8, 31, -1;", "=f,f"(float %a16)
  %a8 = call float @llvm.maxnum.f32(float %a16, float %r8)
  %r4 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 4, 31, -1;", "=f,f"(float %a8)
  %a4 = call float @llvm.maxnum.f32(float %a8, float %r4)
  %r2 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 2, 31, -1;", "=f,f"(float %a4)
  %a2 = call float @llvm.maxnum.f32(float %a4, float %r2)
  %r1 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=f,f"(float %a2)
  %a1 = call float @llvm.maxnum.f32(float %a2, float %r1)
  %first = icmp eq i32 %lane, 0
  %sp = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 %warp
  br i1 %first, label %put, label %sync1
put:
  store float %a1, float addrspace(3)* %sp
  br label %sync1
sync1:
  call void @llvm.nvvm.barrier0()
  %s0p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 0
  %s1p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 1
  %s2p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 2
  %s3p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 3
  %s0 = load float, float addrspace(3)* %s0p
  %s1 = load float, float addrspace(3)* %s1p
  %s2 = load float, float addrspace(3)* %s2p
  %s3 = load float, float addrspace(3)* %s3p
  %b0 = call float @llvm.maxnum.f32(float %s0, float %s1)
  %b1 = call float @llvm.maxnum.f32(float %s2, float %s3)
  %max = call float @llvm.maxnum.f32(float %b0, float %b1)
  br label %sumloop
sumloop:
  %j = phi i32 [ %t, %sync1 ], [ %j2, %sumloop ]
  %s = phi float [ 0.0, %sync1 ], [ %sn, %sumloop ]
  %j64 = zext i32 %j to i64
  %pj = getelementptr float, float addrspace(1)* %xr, i64 %j64
  %vj = load float, float addrspace(1)* %pj, !invariant.load !0
  %dj = fsub float %vj, %max
  %kj = fmul float %dj, 0x3FF7154760000000
  %ej = call float asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %kj)
  %qj = getelementptr float, float addrspace(1)* %yr, i64 %j64
  store float %ej, float addrspace(1)* %qj
  %sn = fadd float %s, %ej
  %j2 = add i32 %j, 128
  %goj = icmp ult i32 %j2, 200
  br i1 %goj, label %sumloop, label %sumdone
sumdone:
  %u16 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 16, 31, -1;", "=f,f"(float %sn)
  %c16 = fadd float %sn, %u16
  %u8 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 8, 31, -1;", "=f,f"(float %c16)
  %c8 = fadd float %c16, %u8
  %u4 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 4, 31, -1;", "=f,f"(float %c8)
  %c4 = fadd float %c8, %u4
  %u2 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 2, 31, -1;", "=f,f"(float %c4)
  %c2 = fadd float %c4, %u2
  %u1 = call float asm sideeffect "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=f,f"(float %c2)
  %c1 = fadd float %c2, %u1
  %wp = add i32 %warp, 4
  %tp = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 %wp
  br i1 %first, label %put2, label %sync2
put2:
  store float %c1, float addrspace(3)* %tp
  br label %sync2
sync2:
  call void @llvm.nvvm.barrier0()
  %s4p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 4
  %s5p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 5
  %s6p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 6
  %s7p = getelementptr [8 x float], [8 x float] addrspace(3)* @part, i32 0, i32 7
  %s4 = load float, float addrspace(3)* %s4p
  %s5 = load float, float addrspace(3)* %s5p
  %s6 = load float, float addrspace(3)* %s6p
  %s7 = load float, float addrspace(3)* %s7p
  %d0 = fadd float %s4, %s5
  %d1 = fadd float %s6, %s7
  %sum = fadd float %d0, %d1
  %inv = fdiv float 1.0, %sum
  br label %outloop
outloop:
  %k = phi i32 [ %t, %sync2 ], [ %k2, %outloop ]
  %k64 = zext i32 %k to i64
  %pk = getelementptr float, float addrspace(1)* %yr, i64 %k64
  %vk = load float, float addrspace(1)* %pk
  %ok = fmul float %vk, %inv
  store float %ok, float addrspace(1)* %pk
  %k2 = add i32 %k, 128
  %gok = icmp ult i32 %k2, 200
  br i1 %gok, label %outloop, label %end
end:
  ret void
}
!0 = !{}
!nvvm.annotations = !{!1}
!1 = !{void (i64, i64)* @softmax, !"kernel", i32 1}
