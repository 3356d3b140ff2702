#pragma once

#include <ggml-cpu.h>
#include <llama.h>
