/* SPDX-License-Identifier: Apache-2.0 */
// Attention by the matrix instructions of Hopper, for rows of ATTENTION_DIM elements.
//
// Four warps, a warpgroup, multiply together: 64 queries by a tile of 64 keys, whose other factor
// the instruction reads from shared memory itself and in the background (PTX ISA, "wgmma"). Thus a
// warpgroup asks for the scores of the next tile and for the sums over the last one, and turns
// scores into weights while the sums are on their way, as FlashAttention-3 does (Shah and others,
// 2024). Two blocks of two warpgroups share a multiprocessor: what one waits for, another one
// computes.
//
// A tile's rows are 128 bytes whose vectors are swapped by tb_place(): the instruction's own
// arrangement of 128 bytes. Keys are read along their rows, values across them.
//
// Included by kernels.cu behind attention.cuh; what stands in front of #endif is emulated, too.

enum { HOPPER_TILES = 3, HOPPER_QUERIES = HOPPER_THREADS / 128 * 64 };

#ifndef EMULATE
#if defined __CUDA_ARCH_FEAT_SM90_ALL
#define TB_HOPPER 1
#endif

// Rows of 128 bytes in groups of eight, 1024 bytes from group to group, swapped within the group.
TB_FORCE unsigned long long tb_described(const tb_vector *tile)
{
	unsigned long long at = __cvta_generic_to_shared(tile);
	return (at & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// d = a b, or d += a b, begun: a 64 x 16 in registers, b 16 x 64, d 64 x 64.
template <int across>
TB_FORCE void tb_group_multiply(float (*d)[4], const unsigned int *a, unsigned long long b, int add)
{
#ifdef TB_HOPPER
#define TB_FOUR(n) "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
		     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
		     "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "{%32, %33, %34, %35}, %36, p, 1, 1, %38; }"
		     : TB_FOUR(0), TB_FOUR(1), TB_FOUR(2), TB_FOUR(3), TB_FOUR(4), TB_FOUR(5),
		     TB_FOUR(6), TB_FOUR(7)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(across));
#undef TB_FOUR
#endif
}

// Registers that were written by other instructions may be read by the next products.
TB_FORCE void tb_group_begin()
{
#ifdef TB_HOPPER
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

TB_FORCE void tb_group_end()
{
#ifdef TB_HOPPER
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// Until all but the last `groups` groups of products are there.
template <int groups> TB_FORCE void tb_group_wait()
{
#ifdef TB_HOPPER
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
#endif
}

// The compiler must not move what products write, in the background, across this.
TB_FORCE void tb_hold(float (*d)[4])
{
#pragma unroll
	for (int n = 0; n < 8; n++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			asm volatile("" : "+f"(d[n][i])::"memory");
}

// Is it so in any lane of the warp?
TB_FORCE bool tb_any_lane(bool so)
{
	return __any_sync(0xffffffffu, so);
}

// What this thread has fetched may be read by products once a barrier is behind it.
TB_FORCE void tb_fetched_for_groups()
{
#ifdef TB_HOPPER
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

TB_FORCE void tb_group_scores(float (*s)[4], const unsigned int (*q)[4], const tb_vector *keys)
{
	unsigned long long k = tb_described(keys);
	tb_group_begin();
#pragma unroll
	for (int d = 0; d < DEEP; d++)
		tb_group_multiply<0>(s, q[d], k + d * (32 >> 4), d > 0);
	tb_group_end();
}

TB_FORCE void tb_group_sums(float (*out)[4], const unsigned int (*p)[4], const tb_vector *values)
{
	unsigned long long v = tb_described(values);
	tb_group_begin();
#pragma unroll
	for (int k = 0; k < KEYS_DEEP; k++)
		tb_group_multiply<1>(out, p[k], v + k * (16 * 128 >> 4), 1);
	tb_group_end();
}
#endif

// Of 16 of a warpgroup's queries: what a lane holds of them.
struct tb_group {
	unsigned int q[DEEP][4], p[KEYS_DEEP][4];
	float out[DIM_WIDE][4];
	float top[2], sum[2], before[2]; // of the lane's rows; sums are the lane's own part
};

// Some rows of a matrix from row `first` on; zeros where it has no more.
TB_FORCE void tb_group_tile(
	tb_vector *to, const tb_bf16::element *matrix, int first, int n, const kernel_args &a)
{
	for (int i = (int)threadIdx.x; i < n * VECTORS; i += HOPPER_THREADS) {
		int row = i / VECTORS, vector = i % VECTORS;
		bool there = first + row < (int)a.rows;
		const tb_vector *from = (const tb_vector *)(matrix +
			(int64_t)(there ? first + row : 0) * ATTENTION_DIM);
		tb_fetch(to + tb_place(row, vector), from + vector, there);
	}
}

// The same of a tile that has all its rows: a thread's vectors lie HOPPER_THREADS apart, both there
// and, since eight rows are swapped alike, here.
TB_FORCE void tb_group_next(tb_vector *to, const tb_bf16::element *matrix, int first)
{
	const tb_vector *from =
		(const tb_vector *)(matrix + (int64_t)first * ATTENTION_DIM) + threadIdx.x;
	to += tb_place((int)threadIdx.x / VECTORS, (int)threadIdx.x % VECTORS);
#pragma unroll
	for (int i = 0; i < TILE; i += HOPPER_THREADS)
		tb_fetch(to + i, from + i, true);
}

// Whichever of them a tile of keys or values needs.
TB_FORCE void tb_group_keys(
	tb_vector *to, const tb_bf16::element *matrix, int first, const kernel_args &a)
{
	if (first + ATTENTION_KEYS <= (int)a.rows)
		tb_group_next(to, matrix, first);
	else
		tb_group_tile(to, matrix, first, ATTENTION_KEYS, a);
}

// A top that is a little behind does no harm: weights are then above 1, at most by this power of
// two.
#define BEHIND 8.0f

// Scores become 2^(scale (score - top)), where top is the greatest so far, or a little behind it.
// What was summed up before counts `before` times as much; false: all of the warp's rows count it
// as it is.
TB_FORCE bool tb_group_soften(float (*s)[4], tb_group &w, float scale)
{
	float top[2];
#pragma unroll
	for (int half = 0; half < 2; half++) {
		top[half] = fmaxf(s[0][2 * half], s[0][2 * half + 1]);
#pragma unroll
		for (int n = 1; n < KEYS_WIDE; n++)
			top[half] = fmaxf(top[half], fmaxf(s[n][2 * half], s[n][2 * half + 1]));
		top[half] = fmaxf(top[half], tb_from_lane(top[half], 1));
		top[half] = fmaxf(top[half], tb_from_lane(top[half], 2));
	}
	bool higher = tb_any_lane(
		(top[0] - w.top[0]) * scale > BEHIND || (top[1] - w.top[1]) * scale > BEHIND);
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float sum = 0.0f, shift;
		if (higher) {
			top[half] = fmaxf(top[half], w.top[half]);
			w.before[half] = tb_exp2((w.top[half] - top[half]) * scale);
			w.sum[half] *= w.before[half];
			w.top[half] = top[half];
		}
		shift = w.top[half] * scale;
#pragma unroll
		for (int n = 0; n < KEYS_WIDE; n++)
#pragma unroll
			for (int i = 2 * half; i < 2 * half + 2; i++) {
				s[n][i] = tb_exp2(fmaf(s[n][i], scale, -shift));
				sum += s[n][i];
			}
		w.sum[half] += sum;
	}
	return higher;
}

TB_FORCE void tb_group_keep(float (*s)[4], tb_group &w, bool higher)
{
	if (higher)
#pragma unroll
		for (int n = 0; n < DIM_WIDE; n++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				w.out[n][i] *= w.before[i / 2];
#pragma unroll
	for (int k = 0; k < KEYS_DEEP; k++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			w.p[k][i] = tb_pack(
				s[2 * k + i / 2][2 * (i % 2)], s[2 * k + i / 2][2 * (i % 2) + 1]);
}

TB_FORCE void tb_group_start(tb_group &w, const tb_vector *queries)
{
	int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * 16;
#pragma unroll
	for (int d = 0; d < DEEP; d++)
		tb_matrices(w.q[d], queries + tb_place(first + lane % 16, d * 2 + lane / 16));
#pragma unroll
	for (int n = 0; n < DIM_WIDE; n++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			w.out[n][i] = 0.0f;
	w.top[0] = w.top[1] = NO_SCORE;
	w.sum[0] = w.sum[1] = 0.0f;
}

TB_FORCE void tb_group_write(
	const tb_group &w, tb_bf16::element *out, int first, const kernel_args &a)
{
	int lane = (int)threadIdx.x % 32;
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float sum = w.sum[half];
		sum += tb_from_lane(sum, 1);
		sum += tb_from_lane(sum, 2);
		float share = 1.0f / sum;
		int row = first + half * 8 + lane / 4;
		if (row >= (int)a.rows)
			continue;
		unsigned int *to =
			(unsigned int *)(out + (int64_t)row * ATTENTION_DIM + lane % 4 * 2);
#pragma unroll
		for (int n = 0; n < DIM_WIDE; n++)
			to[n * 4] =
				tb_pack(w.out[n][2 * half] * share, w.out[n][2 * half + 1] * share);
	}
}

// Which queries a block takes. Of a masked matrix the last ones have the most keys: they begin, and
// the blocks that come to the same multiprocessors after them have the fewest.
TB_FORCE int tb_group_queries(const kernel_args &a, int order)
{
	int tiles = (int)gridDim.x, half = (tiles + 1) / 2;
	if (!a.causal)
		return order * HOPPER_QUERIES;
	return (order < half ? tiles - 1 - order : order - half) * HOPPER_QUERIES;
}

extern "C" __global__ void __launch_bounds__(HOPPER_THREADS, 512 / HOPPER_THREADS)
	tracebook_attention_wgmma_bf16(kernel_args a)
{
	__shared__ __align__(1024) tb_vector keys[HOPPER_TILES][TILE], values[HOPPER_TILES][TILE];
	int block = (int)(blockIdx.y * gridDim.x + blockIdx.x);
	int64_t matrix = (int64_t)(block % (int)gridDim.y) * a.rows * ATTENTION_DIM;
	int first = tb_group_queries(a, block / (int)gridDim.y), own = (int)threadIdx.x / 32 * 16;
	const tb_bf16::element *k = (const tb_bf16::element *)a.in[1] + matrix;
	const tb_bf16::element *v = (const tb_bf16::element *)a.in[2] + matrix;
	int most = (int)a.rows,
	    end = a.causal && first + HOPPER_QUERIES < most ? first + HOPPER_QUERIES : most;
	int row = first + own + (int)threadIdx.x % 32 / 4, whole = a.causal ? first : most;
	float scale = a.factor * LOG2_E, s[KEYS_WIDE][4];
	tb_group w;

	// the queries pass through the room of two tiles of keys
	tb_group_tile(
		keys[0], (const tb_bf16::element *)a.in[0] + matrix, first, HOPPER_QUERIES, a);
	tb_fetch_group();
	tb_fetched<0>();
	tb_block_waits();
	tb_group_start(w, keys[0]);
	tb_block_waits();

	tb_group_keys(keys[0], k, 0, a);
	tb_fetch_group();
	tb_group_keys(keys[1], k, ATTENTION_KEYS, a);
	tb_group_keys(values[0], v, 0, a);
	tb_fetch_group();
	for (int at = 0, now = 0, before = 2; at < end; at += ATTENTION_KEYS) {
		int after = before; // of three
		tb_fetched<1>();
		tb_fetched_for_groups();
		tb_block_waits();
		if (at + 2 * ATTENTION_KEYS < end)
			tb_group_keys(keys[after], k, at + 2 * ATTENTION_KEYS, a);
		if (at + ATTENTION_KEYS < end)
			tb_group_keys(values[now == 2 ? 0 : now + 1], v, at + ATTENTION_KEYS, a);
		tb_fetch_group();
		tb_group_scores(s, w.q, keys[now]);
		if (at) {
			tb_group_sums(w.out, w.p, values[before]);
			tb_group_wait<1>();
		} else {
			tb_group_wait<0>();
		}
		tb_hold(s);
		if (at + ATTENTION_KEYS > whole)
			tb_mask(s, tb_keys_left(a, row, at), tb_keys_left(a, row + 8, at));
		bool higher = tb_group_soften(s, w, scale);
		tb_group_wait<0>();
		tb_hold(w.out);
		tb_group_keep(s, w, higher);
		before = now;
		now = now == 2 ? 0 : now + 1;
	}
	int last = (end - 1) / ATTENTION_KEYS % HOPPER_TILES;
	tb_group_sums(w.out, w.p, values[last]);
	tb_group_wait<0>();
	tb_hold(w.out);
	tb_group_write(w, (tb_bf16::element *)a.out + matrix, first + own, a);
}
