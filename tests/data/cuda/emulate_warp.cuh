/* SPDX-License-Identifier: Apache-2.0 */
// What threads of a warp or a block do together, for a CPU: each writes down what it has, waits
// until all have, and takes what it wants from the others (fake_threads.c). Layouts are those of
// the PTX ISA for mma.m16n8k16 and ldmatrix.
struct emulated_slot {
	unsigned word[6];
	const void *row;
};

static __thread struct emulated_slot emulated_slots[1024]; // by thread of the block

extern "C" void emulated_wait(void);

static inline struct emulated_slot *emulated_warp()
{
	return emulated_slots + threadIdx.x / 32 * 32;
}

static inline float emulated_bf16(const unsigned *words, int element)
{
	unsigned bits = element % 2 ? words[element / 2] & 0xffff0000u : words[element / 2] << 16;
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline void tb_block_waits()
{
	emulated_wait();
}

static inline float tb_from_lane(float x, int lanes_away)
{
	memcpy(&emulated_slots[threadIdx.x].word, &x, sizeof x);
	emulated_wait();
	memcpy(&x, &emulated_slots[threadIdx.x ^ (unsigned)lanes_away].word, sizeof x);
	emulated_wait();
	return x;
}

static inline void tb_multiply(float *d, const unsigned *a, const unsigned *b)
{
	struct emulated_slot *lanes = emulated_warp();
	int lane = threadIdx.x % 32;
	memcpy(lanes[lane].word, a, 4 * sizeof *a);
	memcpy(lanes[lane].word + 4, b, 2 * sizeof *b);
	emulated_wait();
	for (int i = 0; i < 4; i++) {
		int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
		for (int k = 0; k < 16; k++)
			d[i] += emulated_bf16(
					lanes[row % 8 * 4 + k % 8 / 2].word + row / 8 + 2 * (k / 8),
					k % 2) *
				emulated_bf16(
					lanes[column * 4 + k % 8 / 2].word + 4 + k / 8, k % 2);
	}
	emulated_wait();
}

static inline void tb_matrices(unsigned *to, const void *row)
{
	struct emulated_slot *lanes = emulated_warp();
	int lane = threadIdx.x % 32;
	lanes[lane].row = row;
	emulated_wait();
	for (int m = 0; m < 4; m++)
		to[m] = ((const unsigned *)lanes[8 * m + lane / 4].row)[lane % 4];
	emulated_wait();
}

static inline void tb_matrices_turned(unsigned *to, const void *row)
{
	struct emulated_slot *lanes = emulated_warp();
	int lane = threadIdx.x % 32;
	lanes[lane].row = row;
	emulated_wait();
	for (int m = 0; m < 4; m++) {
		const struct emulated_slot *first = &lanes[8 * m + lane % 4 * 2];
		to[m] = ((const unsigned short *)first[0].row)[lane / 4] |
			(unsigned)((const unsigned short *)first[1].row)[lane / 4] << 16;
	}
	emulated_wait();
}

static inline void tb_fetch(void *to, const void *from, bool there)
{
	if (there)
		memcpy(to, from, 16);
	else
		memset(to, 0, 16);
}

static inline void tb_fetch_group()
{
}

template <int groups> static inline void tb_fetched()
{
}

static inline bool tb_any_lane(bool so)
{
	bool any = false;
	emulated_slots[threadIdx.x].word[0] = so;
	emulated_wait();
	for (int lane = 0; lane < 32; lane++)
		any = any || emulated_warp()[lane].word[0];
	emulated_wait();
	return any;
}

// Products of a warpgroup: they are there at once (emulated_kernels.cu).
struct tb_vector;
static inline void tb_group_scores(float (*s)[4], const unsigned (*q)[4], const tb_vector *keys);
static inline void tb_group_sums(float (*out)[4], const unsigned (*p)[4], const tb_vector *values);

template <int groups> static inline void tb_group_wait()
{
}

static inline void tb_hold(float (*)[4])
{
}

static inline void tb_fetched_for_groups()
{
}
