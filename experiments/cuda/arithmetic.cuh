/* SPDX-License-Identifier: Apache-2.0 */
// What a pointwise kernel does with a vector of 16 bytes: unpack to f32, compute, round and pack.
//
// Included by kernels.cu, and put in front of every generated kernel (fused_source.h), so it includes
// nothing itself: NVRTC compiles it without a header in half the time. EMULATE is set where a CPU
// runs the kernels to check them (tests/unit/emulate.h).
//
// bf16 is the upper half of an f32; rounding is to nearest, ties to even, as PyTorch's.

#define TB_FORCE __device__ __forceinline__

struct __align__(16) tb_vector
{
	unsigned int word[4];
};

TB_FORCE float tb_float(unsigned int bits)
{
#ifdef EMULATE
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
#else
	return __uint_as_float(bits);
#endif
}

TB_FORCE unsigned int tb_bits(float f)
{
#ifdef EMULATE
	unsigned int bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
#else
	return __float_as_uint(f);
#endif
}

// Two rounded values in one word, the first in the low half.
TB_FORCE unsigned int tb_pack(float low, float high)
{
#ifdef EMULATE
	unsigned int l = tb_bits(low), h = tb_bits(high);
	l = low != low ? 0x7fff : (l + 0x7fff + (l >> 16 & 1)) >> 16;
	h = high != high ? 0x7fff : (h + 0x7fff + (h >> 16 & 1)) >> 16;
	return h << 16 | l;
#else
	unsigned int word;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
	return word;
#endif
}

TB_FORCE float tb_low(unsigned int word)
{
	return tb_float(word << 16);
}

TB_FORCE float tb_high(unsigned int word)
{
	return tb_float(word & 0xffff0000u);
}

// How an array's elements lie in a vector.
struct tb_bf16 {
	typedef unsigned short element;
	enum { LANES = 8 };

	TB_FORCE static void unpack(const tb_vector &v, float *x)
	{
#pragma unroll
		for (int i = 0; i < 4; i++) {
			x[2 * i] = tb_low(v.word[i]);
			x[2 * i + 1] = tb_high(v.word[i]);
		}
	}
	TB_FORCE static tb_vector pack(const float *x)
	{
		tb_vector v;
#pragma unroll
		for (int i = 0; i < 4; i++)
			v.word[i] = tb_pack(x[2 * i], x[2 * i + 1]);
		return v;
	}
	TB_FORCE static float get(element e)
	{
		return tb_low(e);
	}
	TB_FORCE static element put(float x)
	{
		return (element)tb_pack(x, 0.0f);
	}
	TB_FORCE static float rounded(float x)
	{
		return tb_low(tb_pack(x, 0.0f));
	}
};

struct tb_f32 {
	typedef float element;
	enum { LANES = 4 };

	TB_FORCE static void unpack(const tb_vector &v, float *x)
	{
#pragma unroll
		for (int i = 0; i < 4; i++)
			x[i] = tb_float(v.word[i]);
	}
	TB_FORCE static tb_vector pack(const float *x)
	{
		tb_vector v;
#pragma unroll
		for (int i = 0; i < 4; i++)
			v.word[i] = tb_bits(x[i]);
		return v;
	}
	TB_FORCE static float get(element e)
	{
		return e;
	}
	TB_FORCE static element put(float x)
	{
		return x;
	}
	TB_FORCE static float rounded(float x)
	{
		return x;
	}
};

// A vector that nobody reads again: the caches may drop it first. It may be written in place, hence
// not through the read-only path. Loads and stores by the same policy: on an H200 streaming loads
// with plain stores, or loads that pass the first level by, cost 5 % of the bandwidth (tests/gpu,
// tables recipes).
TB_FORCE tb_vector tb_load(const void *from, long long vector)
{
#ifdef EMULATE
	return ((const tb_vector *)from)[vector];
#else
	tb_vector v;
	asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
		     : "l"((const tb_vector *)from + vector));
	return v;
#endif
}

TB_FORCE void tb_store(void *to, long long vector, const tb_vector &v)
{
#ifdef EMULATE
	((tb_vector *)to)[vector] = v;
#else
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
		     :
		     : "l"((tb_vector *)to + vector), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]),
		     "r"(v.word[3])
		     : "memory");
#endif
}

TB_FORCE float tb_add(float x, float y)
{
	return x + y;
}

TB_FORCE float tb_mul(float x, float y)
{
	return x * y;
}

TB_FORCE float tb_square(float x)
{
	return x * x;
}

// 2^x within 2 ulp, and 1/x within 1 ulp: one instruction each.
TB_FORCE float tb_exp2(float x)
{
#ifdef EMULATE
	return exp2f(x);
#else
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
#endif
}

TB_FORCE float tb_reciprocal(float x)
{
#ifdef EMULATE
	return 1.0f / x;
#else
	float y;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
#endif
}

// 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), is x / (1 + e^(-2u)): 6 instructions
// where the accurate tanh takes 30, which would take as long as the memory does. The factors are
// -2 sqrt(2/pi) log2(e) and 0.044715 times that.
TB_FORCE float tb_gelu_tanh(float x)
{
	float exponent = x * fmaf(-0.10294324f * x, x, -2.30220819f);
	return x * tb_reciprocal(1.0f + tb_exp2(exponent));
}
