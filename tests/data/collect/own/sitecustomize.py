# SPDX-License-Identifier: Apache-2.0
print("the sitecustomize of the program")
