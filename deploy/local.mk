# SPDX-License-Identifier: Apache-2.0
# deploy: what a new user runs, and the requests it shows.
EXTRA_DIST += \
	.ci/run \
	deploy/lib.sh deploy/quickstart deploy/selftest \
	deploy/examples/cosmos3_super.yaml \
	deploy/examples/refused.yaml \
	deploy/examples/wan22.yaml \
	deploy/examples/xdit.yaml \
	deploy/serried.service deploy/serried.sysusers deploy/serried.tmpfiles
