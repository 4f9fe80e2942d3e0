/* SPDX-License-Identifier: MIT */
/*
 * shaders: compiles HLSL to Direct3D bytecode and creates Direct3D 11 shaders from it, so that DXVK
 * translates them to Vulkan and writes its SPIR-V modules to DXVK_SHADER_DUMP_PATH. Called by
 * tests/corpus/make.
 * usage: shaders JOBS
 * Each line of JOBS has a shader: HLSL file, entry point, profile, and file for the bytecode, with
 * tabs between them. Prints "FILE ENTRY: REASON" for each shader that fails. "shaders FILE ENTRY
 * PROFILE OUT" compiles one shader.
 */
#define COBJMACROS
#define INITGUID
#include <d3d11.h>
#include <d3dcompiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define LINE_MS 20000			/* longest time for a line of JOBS */
#define STATUS_CRASHED 3

/* Returns the contents of a file, which the caller frees, or NULL. */
static char *read_file(const char *name, size_t *size)
{
	FILE *f = fopen(name, "rb");
	char *data = NULL;
	long length;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (length = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc(length);
		if (data && fread(data, 1, length, f) != (size_t)length) {
			free(data);
			data = NULL;
		}
		*size = length;
	}
	fclose(f);
	return data;
}

/* Creates a shader of the stage that the first letter of @profile names, and releases it. */
static HRESULT make_shader(ID3D11Device *device, const char *profile, const void *code, size_t size)
{
	IUnknown *shader = NULL;
	HRESULT result = E_INVALIDARG;

	if (profile[0] == 'v')
		result = ID3D11Device_CreateVertexShader(device, code, size, NULL,
							 (ID3D11VertexShader **)&shader);
	else if (profile[0] == 'h')
		result = ID3D11Device_CreateHullShader(device, code, size, NULL,
						       (ID3D11HullShader **)&shader);
	else if (profile[0] == 'd')
		result = ID3D11Device_CreateDomainShader(device, code, size, NULL,
							 (ID3D11DomainShader **)&shader);
	else if (profile[0] == 'g')
		result = ID3D11Device_CreateGeometryShader(device, code, size, NULL,
							   (ID3D11GeometryShader **)&shader);
	else if (profile[0] == 'p')
		result = ID3D11Device_CreatePixelShader(device, code, size, NULL,
							(ID3D11PixelShader **)&shader);
	else if (profile[0] == 'c')
		result = ID3D11Device_CreateComputeShader(device, code, size, NULL,
							  (ID3D11ComputeShader **)&shader);
	if (shader)
		IUnknown_Release(shader);
	return result;
}

static void compile(ID3D11Device *device, const char *source, const char *entry,
		    const char *profile, const char *out)
{
	ID3DBlob *code = NULL, *errors = NULL;
	size_t size = 0;
	char *text = read_file(source, &size);
	HRESULT result = text ? D3DCompile(text, size, source, NULL, NULL, entry, profile, 0, 0,
					   &code, &errors)
			      : E_FAIL;
	FILE *f;

	if (FAILED(result)) {
		printf("%s %s: %08lx %s\n", source, entry, result,
		       errors ? (const char *)ID3D10Blob_GetBufferPointer(errors) : "");
	} else {
		f = fopen(out, "wb");
		if (!f || fwrite(ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code),
				 1, f) != 1)
			printf("%s: cannot be written\n", out);
		if (f)
			fclose(f);
		result = make_shader(device, profile, ID3D10Blob_GetBufferPointer(code),
				     ID3D10Blob_GetBufferSize(code));
		if (FAILED(result))
			printf("%s %s: Direct3D says %08lx\n", source, entry, result);
	}
	fflush(stdout);
	if (code)
		ID3D10Blob_Release(code);
	if (errors)
		ID3D10Blob_Release(errors);
	free(text);
}

/* Compiles one line of JOBS. A crash of the compiler ends the process. */
static int compile_one(char **argv)
{
	const D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_11_0;
	ID3D11DeviceContext *context;
	ID3D11Device *device;

	NEED(D3D11CreateDevice(NULL, D3D_DRIVER_TYPE_HARDWARE, NULL, 0, &level, 1,
			       D3D11_SDK_VERSION, &device, NULL, &context));
	compile(device, argv[0], argv[1], argv[2], argv[3]);
	ID3D11DeviceContext_Release(context);
	ID3D11Device_Release(device);
	return 0;
}

static LONG WINAPI on_crash(EXCEPTION_POINTERS *exception)
{
	(void)exception;
	ExitProcess(STATUS_CRASHED);
}

/* Compiles a line in a child process of this program, which may crash or hang. */
static void run_line(const char *program, const char *source, const char *entry,
		     const char *profile, const char *out)
{
	STARTUPINFOA start = { .cb = sizeof(start) };
	PROCESS_INFORMATION process;
	char command[8192];
	DWORD status = STATUS_CRASHED;

	snprintf(command, sizeof(command), "\"%s\" %s %s %s %s", program, source, entry, profile,
		 out);
	if (!CreateProcessA(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) {
		printf("%s %s: no process\n", source, entry);
		return;
	}
	if (WaitForSingleObject(process.hProcess, LINE_MS) == WAIT_OBJECT_0)
		GetExitCodeProcess(process.hProcess, &status);
	else
		TerminateProcess(process.hProcess, status);
	if (status)
		printf("%s %s: the compiler crashes or hangs\n", source, entry);
	fflush(stdout);
	CloseHandle(process.hProcess);
	CloseHandle(process.hThread);
}

int main(int argc, char **argv)
{
	char line[4096];
	FILE *jobs;

	SetErrorMode(SEM_NOGPFAULTERRORBOX | SEM_FAILCRITICALERRORS);
	SetUnhandledExceptionFilter(on_crash);
	if (argc == 5)
		return compile_one(argv + 1);
	jobs = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!jobs) {
		printf("usage: shaders JOBS\n");
		return 1;
	}
	while (fgets(line, sizeof(line), jobs)) {
		const char *source = strtok(line, "\t\r\n"), *entry = strtok(NULL, "\t\r\n");
		const char *profile = strtok(NULL, "\t\r\n"), *out = strtok(NULL, "\t\r\n");

		if (out)
			run_line(argv[0], source, entry, profile, out);
	}
	fclose(jobs);
	return 0;
}
