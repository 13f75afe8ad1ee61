/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a message of PyTorch's profiler: believed only when every size in it fits. */
#include "collect/fabric.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric_message m;
	uint64_t said;
	if (fabric_parse(&m, data, size))
		return 0;
	memcpy(&said, data, sizeof said);
	if (size < 56 || said != size - 40 || m.pid < 1)
		bug("a message of %zu bytes was believed", size);
	return 0;
}
