/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

/*
 * Left to itself libgomp lets idle workers spin for 300000 looks (measured: 4 to 7 ms) after each
 * parallel region before they sleep, which on a small machine takes the core of the launching
 * thread. The environment is the only way to tell libgomp, and it reads it in its own constructor,
 * before those of the libraries that use it; hence the library is linked with `-z initfirst`, which
 * puts this one before. A value that the user has set stays.
 */
__attribute__((constructor)) static void quiet_workers(void)
{
	setenv("OMP_WAIT_POLICY", "passive", 0);
}
