/* SPDX-License-Identifier: Apache-2.0 */
/* A plain CUDA program without a profiler: two streams, copies, a graph, NVTX ranges; plain HOW
 * ends by exit, _exit, abort, kill, or runs until a signal (wait). Says what it has launched.
 * `plain contexts` instead works on four streams of every device, and in a context of its own. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <signal.h>
#include <unistd.h>

#define OK(call) \
	do { \
		cudaError_t e = (call); \
		if (e) { \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
			exit(9); \
		} \
	} while (0)

enum { N = 1 << 22, STEPS = 10000, GRAPH_STEPS = 100 };

__global__ void saxpy(float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < N)
		y[i] = a * x[i] + y[i];
}

__global__ void scale(float a, float *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < N)
		x[i] *= a;
}

static void steps(cudaStream_t *stream, float *x, float *y, float *host)
{
	for (int i = 0; i < STEPS; i++) {
		nvtxRangePushA("step");
		saxpy<<<N / 256, 256, 0, stream[0]>>>(0.5f, x, y);
		scale<<<N / 256, 256, 0, stream[1]>>>(1.0001f, x + N);
		OK(cudaMemcpyAsync(host, y, 4096, cudaMemcpyDeviceToHost, stream[0]));
		OK(cudaStreamSynchronize(stream[0]));
		nvtxRangePop();
	}
	OK(cudaDeviceSynchronize());
}

static void graph_steps(cudaStream_t stream, float *x, float *y)
{
	cudaGraph_t graph;
	cudaGraphExec_t run;
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 3; i++)
		saxpy<<<N / 256, 256, 0, stream>>>(0.5f, x, y);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiate(&run, graph, 0));
	for (int i = 0; i < GRAPH_STEPS; i++)
		OK(cudaGraphLaunch(run, stream));
	OK(cudaDeviceSynchronize());
}

static void on_streams(int n, int times)
{
	cudaStream_t stream;
	float *x;
	OK(cudaMalloc(&x, N * sizeof *x));
	for (int i = 0; i < n; i++) {
		OK(cudaStreamCreate(&stream));
		for (int k = 0; k < times; k++)
			scale<<<N / 256, 256, 0, stream>>>(1.0001f, x);
	}
	OK(cudaDeviceSynchronize());
}

/* The driver's function is found by the runtime, so that nothing of the driver is linked. */
static int contexts()
{
	CUresult (*create)(CUcontext *, unsigned, CUdevice);
	cudaDriverEntryPointQueryResult found;
	CUcontext own;
	int devices = 0;
	OK(cudaGetDeviceCount(&devices));
	for (int i = 0; i < devices; i++) {
		OK(cudaSetDevice(i));
		on_streams(4, 25);
	}
	OK(cudaGetDriverEntryPointByVersion(
		"cuCtxCreate", (void **)&create, 11000, cudaEnableDefault, &found));
	if (create(&own, 0, 0))
		return 8;
	on_streams(2, 25);
	printf("{\"kernels\": %d, \"streams\": %d, \"context\": %d, \"device\": %d}\n",
		devices * 100 + 50, devices * 4 + 2, devices + 1, devices);
	return 0;
}

static double now_s()
{
	timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	float *x, *y, *host;
	cudaStream_t stream[2];
	if (!strcmp(how, "contexts"))
		return contexts();
	OK(cudaMalloc(&x, 2 * N * sizeof *x));
	OK(cudaMalloc(&y, N * sizeof *y));
	OK(cudaMallocHost(&host, 4096));
	OK(cudaStreamCreate(&stream[0]));
	OK(cudaStreamCreate(&stream[1]));
	OK(cudaMemset(x, 0, 2 * N * sizeof *x));
	OK(cudaMemset(y, 0, N * sizeof *y));
	double began_s = now_s();
	steps(stream, x, y, host);
	double took_s = now_s() - began_s;
	graph_steps(stream[0], x, y);
	printf("{\"saxpy\": %d, \"scale\": %d, \"memcpy\": %d, \"memset\": 2, \"range\": %d, "
	       "\"steps_s\": %.6f, \"done\": %.6f}\n",
		STEPS + 3 * GRAPH_STEPS, STEPS, STEPS, STEPS, took_s, now_s());
	fflush(stdout);
	if (!strcmp(how, "wait"))
		pause();
	if (!strcmp(how, "kill_late") || !strcmp(how, "_exit_late"))
		usleep(400000);
	if (!strncmp(how, "_exit", 5))
		_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strncmp(how, "kill", 4))
		raise(SIGKILL);
	return 0;
}
