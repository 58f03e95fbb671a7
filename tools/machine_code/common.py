"""Common code of all kernels that numba has at run time: memory of arrays that kernels make, and errors of callbacks.

An array's owner begins as numba's does: how many refer to it, what frees it (nothing here), two words, its data. A callback,
which cannot raise an exception, reports it as one that is ignored, as with numba.
"""

from modiapy.acausal.disk.machine_code import SYMBOL_OF_TYPES, TYPES

COMMON = (
    f"""
@{SYMBOL_OF_TYPES} = global [{len(TYPES)} x i64] zeroinitializer
"""
    + """declare ptr @malloc(i64)
declare void @free(ptr)
define hidden ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) nounwind {
  %wide = zext i32 %align to i64
  %more = add i64 %size, %wide
  %total = add i64 %more, 64
  %owner = call ptr @malloc(i64 %total)
  %none = icmp eq ptr %owner, null
  br i1 %none, label %failed, label %made
failed:
  ret ptr null
made:
  %behind = getelementptr i8, ptr %owner, i64 64
  %begin = ptrtoint ptr %behind to i64
  %less = sub i64 %wide, 1
  %raised = add i64 %begin, %less
  %mask = xor i64 %less, -1
  %place = and i64 %raised, %mask
  %data = inttoptr i64 %place to ptr
  store i64 1, ptr %owner
  %at1 = getelementptr i64, ptr %owner, i64 1
  store i64 0, ptr %at1
  %at2 = getelementptr i64, ptr %owner, i64 2
  store i64 0, ptr %at2
  %at3 = getelementptr i64, ptr %owner, i64 3
  store ptr %data, ptr %at3
  %at4 = getelementptr i64, ptr %owner, i64 4
  store i64 %size, ptr %at4
  ret ptr %owner
}
define hidden ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) nounwind {
  %owner = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %owner
}
define hidden ptr @NRT_Allocate(i64 %size) nounwind {
  %made = call ptr @malloc(i64 %size)
  ret ptr %made
}
define hidden void @NRT_Free(ptr %memory) nounwind {
  call void @free(ptr %memory)
  ret void
}
define hidden void @NRT_MemInfo_call_dtor(ptr %owner) nounwind {
  call void @free(ptr %owner)
  ret void
}
define void @modia3d_release(ptr %owner) nounwind {
  call void @free(ptr %owner)
  ret void
}

@PyExc_ValueError = external global ptr
@failed = private constant [52 x i8] c"a kernel was given a value that it cannot work with\\00"
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare void @PyErr_SetString(ptr, ptr)
define hidden void @numba_gil_ensure(ptr %state) nounwind {
  %made = call i32 @PyGILState_Ensure()
  store i32 %made, ptr %state
  ret void
}
define hidden void @numba_gil_release(ptr %state) nounwind {
  %made = load i32, ptr %state
  call void @PyGILState_Release(i32 %made)
  ret void
}
define hidden void @numba_do_raise(ptr %unused) nounwind {
  %kind = load ptr, ptr @PyExc_ValueError
  call void @PyErr_SetString(ptr %kind, ptr @failed)
  ret void
}
define hidden ptr @numba_unpickle(ptr %unused, i32 %size, ptr %digest) nounwind {
  call void @numba_do_raise(ptr null)
  ret ptr null
}
define hidden ptr @numba_runtime_build_excinfo_struct(ptr %unused, ptr %arguments) nounwind {
  call void @numba_do_raise(ptr null)
  ret ptr null
}
"""
)
