/* SPDX-License-Identifier: Apache-2.0 */
// softmax(q k') v: softmax by itself, and all three in one kernel that never writes the scores.
//
// The one kernel goes the way of FlashAttention-2 (Dao, 2023): a block keeps its queries in
// registers and walks over the keys; each tile's scores become weights at once, and when a later
// tile has a larger score, what was summed up so far is scaled down. A warp has 32 queries.
// Products are m16n8k16 of the tensor cores (PTX ISA, "mma.sync"; the layouts of its fragments are
// there).
//
// Included by kernels.cu. What threads of a warp or a block do together goes through the functions
// below, which a CPU emulates for the tests (tests/data/cuda/emulate.cuh).

#define LOG2_E 1.44269504f

#ifdef EMULATE
#define NO_SCORE (-INFINITY)
#else
#define NO_SCORE __int_as_float(0xff800000)

TB_FORCE float tb_from_lane(float x, int lanes_away)
{
	return __shfl_xor_sync(0xffffffffu, x, lanes_away);
}

TB_FORCE void tb_block_waits()
{
	__syncthreads();
}

// d += a b: a 16 x 16, b 16 x 8, d 16 x 8.
TB_FORCE void tb_multiply(float *d, const unsigned int *a, const unsigned int *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
		     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four matrices of 8 x 8 bf16: lane i gives the address of a row of matrix i / 8.
TB_FORCE void tb_matrices(unsigned int *to, const tb_vector *row)
{
	unsigned int at = (unsigned int)__cvta_generic_to_shared(row);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(at)
		     : "memory");
}

TB_FORCE void tb_matrices_turned(unsigned int *to, const tb_vector *row)
{
	unsigned int at = (unsigned int)__cvta_generic_to_shared(row);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(at)
		     : "memory");
}

// Global to shared memory in the background; zeros where nothing is `there`.
TB_FORCE void tb_fetch(tb_vector *to, const tb_vector *from, bool there)
{
	asm volatile(
		"cp.async.cg.shared.global [%0], [%1], 16, %2;"
		:
		: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0)
		: "memory");
}

TB_FORCE void tb_fetch_group()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until all but the last `groups` groups of this thread have arrived.
template <int groups> TB_FORCE void tb_fetched()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}
#endif

TB_FORCE float tb_greater(float x, float y)
{
	return x > y ? x : y;
}

// ---- softmax: a warp a row, read twice, written once
// ----------------------------------------------

// The greatest of some scores, and the sum of 2^(score - greatest); scores count in units of ln 2.
struct tb_weights {
	float top, sum;
};

TB_FORCE void tb_weigh(tb_weights &w, float top, float sum)
{
	float both = tb_greater(w.top, top);
	if (both == NO_SCORE)
		return;
	w.sum = w.sum * tb_exp2(w.top - both) + sum * tb_exp2(top - both);
	w.top = both;
}

template <class T> TB_FORCE tb_weights weights_of_row(const kernel_args &a, int64_t start, int lane)
{
	typedef typename T::element element;
	const element *row = (const element *)a.in[0] + start;
	tb_weights w = {NO_SCORE, 0.0f};
	if (a.row % T::LANES == 0) {
		for (int64_t v = lane; v < a.row / T::LANES; v += 32) {
			float x[T::LANES], top = NO_SCORE, sum = 0.0f;
			T::unpack(((const tb_vector *)row)[v], x);
#pragma unroll
			for (int i = 0; i < T::LANES; i++) {
				x[i] *= LOG2_E;
				top = tb_greater(top, x[i]);
			}
#pragma unroll
			for (int i = 0; i < T::LANES; i++)
				sum += tb_exp2(x[i] - (top == NO_SCORE ? 0.0f : top));
			tb_weigh(w, top, sum);
		}
	} else {
		for (int64_t c = lane; c < a.row; c += 32)
			tb_weigh(w, T::get(row[c]) * LOG2_E, 1.0f);
	}
	for (int away = 16; away; away /= 2)
		tb_weigh(w, tb_from_lane(w.top, away), tb_from_lane(w.sum, away));
	return w;
}

template <class T> TB_FORCE void softmax_row(const kernel_args &a)
{
	typedef typename T::element element;
	int lane = (int)threadIdx.x % 32;
	int64_t row = (int64_t)blockIdx.x * (KERNEL_VECTOR_BLOCK / 32) + threadIdx.x / 32;
	if (row >= a.n / a.row)
		return;
	int64_t start = row * a.row;
	tb_weights w = weights_of_row<T>(a, start, lane);
	float share = 1.0f / w.sum;
	const element *in = (const element *)a.in[0] + start;
	element *out = (element *)a.out + start;
	if (a.row % T::LANES == 0) {
		for (int64_t v = lane; v < a.row / T::LANES; v += 32) {
			float x[T::LANES];
			T::unpack(((const tb_vector *)in)[v], x);
#pragma unroll
			for (int i = 0; i < T::LANES; i++)
				x[i] = tb_exp2(x[i] * LOG2_E - w.top) * share;
			((tb_vector *)out)[v] = T::pack(x);
		}
		return;
	}
	for (int64_t c = lane; c < a.row; c += 32)
		out[c] = T::put(tb_exp2(T::get(in[c]) * LOG2_E - w.top) * share);
}

extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK)
	tracebook_softmax_bf16(kernel_args a)
{
	softmax_row<tb_bf16>(a);
}

extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK)
	tracebook_softmax_fp32(kernel_args a)
{
	softmax_row<tb_f32>(a);
}

// ---- attention in one kernel
// ----------------------------------------------------------------------

enum { VECTORS = ATTENTION_DIM / tb_bf16::LANES, DEEP = ATTENTION_DIM / 16 };
enum {
	KEYS_WIDE = ATTENTION_KEYS / 8,
	KEYS_DEEP = ATTENTION_KEYS / 16,
	DIM_WIDE = ATTENTION_DIM / 8
};
enum { TILE = ATTENTION_KEYS * VECTORS }; // vectors of a tile

// Rows of a tile lie one behind the other; a row's vectors are swapped so that eight rows of one
// column lie in different banks.
TB_FORCE int tb_place(int row, int vector)
{
	return row * VECTORS + (vector ^ (row & 7));
}

// A vector of a matrix's row by elements, zeros beyond its end: for rows that are not whole.
TB_FORCE tb_vector tb_gathered(const tb_bf16::element *row, int first, int64_t dim)
{
	float x[tb_bf16::LANES];
	for (int i = 0; i < tb_bf16::LANES; i++)
		x[i] = first + i < dim ? tb_bf16::get(row[first + i]) : 0.0f;
	return tb_bf16::pack(x);
}

// `n` rows of a matrix from row `first` on; zeros where it has no more.
TB_FORCE void tb_tile(tb_vector *to, const void *matrix, int64_t first, int n, const kernel_args &a)
{
	for (int i = (int)threadIdx.x; i < n * VECTORS; i += ATTENTION_BLOCK) {
		int row = i / VECTORS, vector = i % VECTORS;
		bool there = first + row < a.rows;
		const tb_bf16::element *from =
			(const tb_bf16::element *)matrix + (there ? first + row : 0) * a.row;
		if (a.row == ATTENTION_DIM)
			tb_fetch(to + tb_place(row, vector), (const tb_vector *)from + vector,
				there);
		else
			to[tb_place(row, vector)] =
				tb_gathered(from, vector * tb_bf16::LANES, there ? a.row : 0);
	}
}

// Of two times 16 queries of a warp: what a lane holds of their sums over the keys so far.
struct tb_queries {
	unsigned int q[2][DEEP][4];
	float out[2][DIM_WIDE][4];
	float top[2][2], sum[2][2]; // of the lane's rows; sums are the lane's own part
};

TB_FORCE void tb_scores(float (*s)[KEYS_WIDE][4], const tb_queries &w, const tb_vector *keys)
{
	int lane = (int)threadIdx.x % 32;
#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int n = 0; n < KEYS_WIDE; n++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				s[m][n][i] = 0.0f;
#pragma unroll
	for (int d = 0; d < DEEP; d++)
#pragma unroll
		for (int n = 0; n < KEYS_WIDE; n += 2) {
			unsigned int k[4];
			tb_matrices(k,
				keys +
					tb_place(n * 8 + lane / 16 * 8 + lane % 8,
						d * 2 + lane / 8 % 2));
#pragma unroll
			for (int m = 0; m < 2; m++) {
				tb_multiply(s[m][n], w.q[m][d], k);
				tb_multiply(s[m][n + 1], w.q[m][d], k + 2);
			}
		}
}

// Where a row has no keys any more: from column `end` of the tile on, eight rows below from
// `end_below`.
TB_FORCE void tb_mask(float (*s)[4], int end, int end_below)
{
	int column = (int)threadIdx.x % 4 * 2;
#pragma unroll
	for (int n = 0; n < KEYS_WIDE; n++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (n * 8 + column + i % 2 >= (i < 2 ? end : end_below))
				s[n][i] = NO_SCORE;
}

// How many keys a query has from `at` on.
TB_FORCE int tb_keys_left(const kernel_args &a, int64_t query, int64_t at)
{
	return (int)((a.causal && query < a.rows ? query + 1 : a.rows) - at);
}

// Scores become 2^(scale (score - top)), where top is the greatest so far; a lane's columns are 2 t
// and 2 t + 1 of each eight, t = lane % 4, its rows lane / 4 and that plus 8.
TB_FORCE void tb_soften(float (*s)[4], tb_queries &w, int m, float scale)
{
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float top = w.top[m][half];
#pragma unroll
		for (int n = 0; n < KEYS_WIDE; n++)
			top = tb_greater(top, tb_greater(s[n][2 * half], s[n][2 * half + 1]));
		top = tb_greater(top, tb_from_lane(top, 1));
		top = tb_greater(top, tb_from_lane(top, 2));
		float before = tb_exp2((w.top[m][half] - top) * scale), sum = 0.0f;
#pragma unroll
		for (int n = 0; n < KEYS_WIDE; n++)
#pragma unroll
			for (int i = 2 * half; i < 2 * half + 2; i++) {
				s[n][i] = tb_exp2(fmaf(s[n][i], scale, -top * scale));
				sum += s[n][i];
			}
#pragma unroll
		for (int n = 0; n < DIM_WIDE; n++) {
			w.out[m][n][2 * half] *= before;
			w.out[m][n][2 * half + 1] *= before;
		}
		w.top[m][half] = top;
		w.sum[m][half] = w.sum[m][half] * before + sum;
	}
}

TB_FORCE void tb_sum_up(tb_queries &w, float (*s)[KEYS_WIDE][4], const tb_vector *values)
{
	int lane = (int)threadIdx.x % 32;
#pragma unroll
	for (int k = 0; k < KEYS_DEEP; k++) {
		unsigned int p[2][4];
#pragma unroll
		for (int m = 0; m < 2; m++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				p[m][i] = tb_pack(s[m][2 * k + i / 2][2 * (i % 2)],
					s[m][2 * k + i / 2][2 * (i % 2) + 1]);
#pragma unroll
		for (int n = 0; n < DIM_WIDE; n += 2) {
			unsigned int v[4];
			tb_matrices_turned(v,
				values +
					tb_place(k * 16 + lane / 8 % 2 * 8 + lane % 8,
						n + lane / 16));
#pragma unroll
			for (int m = 0; m < 2; m++) {
				tb_multiply(w.out[m][n], p[m], v);
				tb_multiply(w.out[m][n + 1], p[m], v + 2);
			}
		}
	}
}

TB_FORCE void tb_write(
	const tb_queries &w, tb_bf16::element *out, int64_t first, const kernel_args &a)
{
	int lane = (int)threadIdx.x % 32;
#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int half = 0; half < 2; half++) {
			float sum = w.sum[m][half];
			sum += tb_from_lane(sum, 1);
			sum += tb_from_lane(sum, 2);
			float share = 1.0f / sum;
			int64_t row = first + m * 16 + half * 8 + lane / 4;
			if (row >= a.rows)
				continue;
#pragma unroll
			for (int n = 0; n < DIM_WIDE; n++) {
				int column = n * 8 + lane % 4 * 2;
				const float *x = w.out[m][n] + 2 * half;
				unsigned int pair = tb_pack(x[0] * share, x[1] * share);
				tb_bf16::element *to = out + row * a.row + column;
				if (a.row == ATTENTION_DIM)
					*(unsigned int *)to = pair;
				else if (column < a.row)
					to[0] = (tb_bf16::element)pair;
				if (a.row != ATTENTION_DIM && column + 1 < a.row)
					to[1] = (tb_bf16::element)(pair >> 16);
			}
		}
}

TB_FORCE void tb_begin(tb_queries &w, const tb_vector *queries)
{
	int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * 32;
#pragma unroll
	for (int m = 0; m < 2; m++) {
#pragma unroll
		for (int d = 0; d < DEEP; d++)
			tb_matrices(w.q[m][d],
				queries + tb_place(first + m * 16 + lane % 16, d * 2 + lane / 16));
#pragma unroll
		for (int n = 0; n < DIM_WIDE; n++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				w.out[m][n][i] = 0.0f;
		w.top[m][0] = w.top[m][1] = NO_SCORE;
		w.sum[m][0] = w.sum[m][1] = 0.0f;
	}
}

extern "C" __global__ void __launch_bounds__(ATTENTION_BLOCK)
	tracebook_attention_bf16(kernel_args a)
{
	__shared__ tb_vector keys[2][TILE], values[2][TILE];
	int64_t matrix = (int64_t)blockIdx.y * a.rows * a.row;
	int64_t first = (int64_t)blockIdx.x * ATTENTION_QUERIES;
	const tb_bf16::element *k = (const tb_bf16::element *)a.in[1] + matrix;
	const tb_bf16::element *v = (const tb_bf16::element *)a.in[2] + matrix;
	int64_t own = first + threadIdx.x / 32 * 32 + threadIdx.x % 32 / 4, end = a.rows;
	int64_t whole = a.causal ? first : end; // keys that all queries of the block see
	if (a.causal && first + ATTENTION_QUERIES < end)
		end = first + ATTENTION_QUERIES;
	tb_queries w;

	// the queries pass through the room of two tiles of keys
	tb_tile(keys[0], (const tb_bf16::element *)a.in[0] + matrix, first, ATTENTION_QUERIES, a);
	tb_fetch_group();
	tb_fetched<0>();
	tb_block_waits();
	tb_begin(w, keys[0]);
	tb_block_waits();

	tb_tile(keys[0], k, 0, ATTENTION_KEYS, a);
	tb_tile(values[0], v, 0, ATTENTION_KEYS, a);
	tb_fetch_group();
	for (int64_t at = 0, turn = 0; at < end; at += ATTENTION_KEYS, turn ^= 1) {
		float s[2][KEYS_WIDE][4];
		if (at + ATTENTION_KEYS < end) {
			tb_tile(keys[turn ^ 1], k, at + ATTENTION_KEYS, ATTENTION_KEYS, a);
			tb_tile(values[turn ^ 1], v, at + ATTENTION_KEYS, ATTENTION_KEYS, a);
		}
		tb_fetch_group();
		tb_fetched<1>();
		tb_block_waits();
		tb_scores(s, w, keys[turn]);
#pragma unroll
		for (int m = 0; m < 2; m++) {
			int64_t query = own + m * 16;
			if (at + ATTENTION_KEYS > whole)
				tb_mask(s[m], tb_keys_left(a, query, at),
					tb_keys_left(a, query + 8, at));
			tb_soften(s[m], w, m, a.factor * LOG2_E);
		}
		tb_sum_up(w, s, values[turn]);
		tb_block_waits();
	}
	tb_write(w, (tb_bf16::element *)a.out + matrix, first + threadIdx.x / 32 * 32, a);
}
