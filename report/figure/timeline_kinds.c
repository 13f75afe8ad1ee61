/* SPDX-License-Identifier: Apache-2.0 */
/* Which kind of bar an event is drawn as. */
#include "base/enum_names.h"
#include "report/figure/timeline.h"

NAMES(bar_name, enum bar, "annotation", "op", "compile", "setup", "launch", "sync", "python",
	"host_other", "gemm", "attention", "embedding", "pointwise", "fused", "norm", "copy",
	"communication", "device_other");

enum bar bar_of(uint8_t event_class)
{
	static const uint8_t bars[CLASSES] = {[CLASS_ANNOTATION] = BAR_ANNOTATION,
		[CLASS_OP] = BAR_OP,
		[CLASS_COMPILE] = BAR_COMPILE,
		[CLASS_LAUNCH] = BAR_LAUNCH,
		[CLASS_COPY_CALL] = BAR_LAUNCH,
		[CLASS_SYNC] = BAR_SYNC,
		[CLASS_QUERY] = BAR_HOST_OTHER,
		[CLASS_CALL] = BAR_HOST_OTHER,
		[CLASS_SETUP] = BAR_SETUP,
		[CLASS_PYTHON] = BAR_PYTHON,
		[CLASS_HOST] = BAR_HOST_OTHER,
		[CLASS_GEMM] = BAR_GEMM,
		[CLASS_CONVOLUTION] = BAR_GEMM,
		[CLASS_EMBEDDING] = BAR_EMBEDDING,
		[CLASS_ADD] = BAR_POINTWISE,
		[CLASS_MUL] = BAR_POINTWISE,
		[CLASS_GELU] = BAR_POINTWISE,
		[CLASS_FUSED] = BAR_FUSED,
		[CLASS_ELEMENTWISE] = BAR_POINTWISE,
		[CLASS_REDUCTION] = BAR_NORM,
		[CLASS_SPLITK] = BAR_GEMM,
		[CLASS_CLEAR] = BAR_COPY,
		[CLASS_ATTENTION] = BAR_ATTENTION,
		[CLASS_NORM] = BAR_NORM,
		[CLASS_COPY] = BAR_COPY,
		[CLASS_FILL] = BAR_COPY,
		[CLASS_COMMUNICATION] = BAR_COMMUNICATION,
		[CLASS_KERNEL] = BAR_DEVICE_OTHER};
	return event_class == CLASS_STEP ? BAR_ANNOTATION : (enum bar)bars[event_class];
}
