/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_loader.h - finding and opening a device's shared object.
 */
#ifndef COLLECT_DEVICE_LOADER_H
#define COLLECT_DEVICE_LOADER_H

#include "base/arena.h"
#include "base/err.h"
#include "experiments/device.h"

/* Where the shared object of the device `name` must lie: beside the program, in ../lib. */
const char *device_library(struct arena *a, const char *program_folder, const char *name);

/* Opens the shared object, which stays open until the process ends. NULL on failure. */
const struct device_ops *device_load(const char *library, struct err *err);

#endif
