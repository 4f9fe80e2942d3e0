#include "trace/trace-hw_display_sundog.h"
