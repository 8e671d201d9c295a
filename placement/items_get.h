/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that read one member of an item each. Private to items*.c. */
#ifndef SERRIED_PLACEMENT_ITEMS_GET_H
#define SERRIED_PLACEMENT_ITEMS_GET_H

#include "placement/check.h"

/* object is what the kind's values point to: struct node, scope, placed,
 * instance_item, signal_item, resource_item, stream, walk, combined, list_item.
 * Lists are made in the check's arena; undefined when it is full. */
typedef struct value get_fn(const struct check *check, const void *object);

get_fn node_name, node_axes, node_is_placed, group_index, group_nodes,
    group_ranks, group_instances, group_span, placed_name, placed_node,
    placed_group, placed_span, placed_serves, placed_resources, instance_index,
    instance_group, instance_first, signal_name, signal_walk, signal_dim,
    signal_source, signal_target, resource_key, resource_kind, resource_nodes,
    resource_placed, resource_splits, stream_signal, stream_node, walk_name,
    walk_nodes, walk_served, combined_name, combined_node, list_first,
    list_last, list_size, list_index;

#endif
