# SPDX-License-Identifier: Apache-2.0
# client: serry, the operator's tool; one file for each command.
