#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry import hf: every spelling of every fact, and where it may stand.
# shellcheck disable=SC2317 # verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

# import JSON: of a config.json
import()
{
    printf '%s' "$1" >config.json
    run import hf config.json --name net
}

# ---- one key, one fact -----------------------------------------------------------
# Whether a key with the value 6 is the fact, among others that say nothing of it.
# A dot leads into a map.
spells() # FACT KEY [OTHER...]
{
    fact=$1 key=$2
    shift 2
    case $key in
    *.*) pair="\"${key%.*}\": {\"${key#*.}\": 6}" ;;
    *) pair="\"$key\": 6" ;;
    esac
    for other; do pair="$pair, \"$other\": 12"; done
    import "{$pair}"
    ended 0 && grep -qx "  $fact: 6" out && grep -qx "# $fact: $key" out &&
        ! grep -q "[ :,]${key%.*}\(,\|$\)" err
}
missing=
while read -r fact keys; do
    case $fact in
    layers | vocab | context | experts) others='hidden_size num_attention_heads' ;;
    hidden) others=num_attention_heads ;;
    heads) others=hidden_size ;;
    kv_heads | head_dim) others='hidden_size num_attention_heads' ;;
    ffn) others='hidden_size' ;;
    *) others='hidden_size num_experts' ;;
    esac
    for key in $keys; do
        # shellcheck disable=SC2086 # several
        spells "$fact" "$key" $others || missing="$missing $fact:$key"
    done
done <<'END'
layers num_hidden_layers n_layers n_layer num_layers
hidden hidden_size d_model n_embd model_dim
heads num_attention_heads num_heads n_heads n_head num_query_heads
kv_heads num_key_value_heads num_key_value_heads_per_layer num_kv_heads n_kv_heads
kv_heads n_head_kv multi_query_group_num num_query_groups attn_config.kv_n_heads
head_dim head_dim d_kv attention_head_dim kv_channels d_head
vocab vocab_size padded_vocab_size
context max_position_embeddings max_seq_length n_positions max_sequence_length
context max_seq_len seq_length n_ctx
experts num_experts num_local_experts num_routed_experts n_routed_experts
experts num_moe_experts moe_num_experts ffn_config.moe_num_experts
experts_per_token num_experts_per_tok top_k_experts moe_router_topk
experts_per_token num_active_experts moe_topk top_k moe_top_k ffn_config.moe_top_k
expert_ffn moe_intermediate_size expert_intermediate_size moe_ffn_hidden_size
expert_ffn expert_ffn_hidden_size ffn_config.ffn_hidden_size
expert_ffn intermediate_size
ffn intermediate_size ffn_hidden_size ffn_dim d_ff n_inner dense_intermediate_size
first_dense_layers first_k_dense_replace num_dense_layers moe_layer_start_index
END
echo "# not read:$missing"
verdict "every spelling is the fact that it is" test -z "$missing"

# ---- which of two counts ---------------------------------------------------------
first() # FACT JSON
{
    import "$2"
    grep -qx "  $1: 6" out
}
verdict "the width of an expert is its own before the layers'" first expert_ffn \
    '{"hidden_size": 1, "num_experts": 2, "intermediate_size": 12, "moe_intermediate_size": 6}'
verdict "which stays the layers'" grep -qx '  ffn: 12' out
verdict "in the order in which they are looked for" first expert_ffn \
    '{"hidden_size": 1, "num_experts": 2, "moe_ffn_hidden_size": 12, "expert_intermediate_size": 6}'
verdict "a key without a number gives way to the next" first kv_heads \
    '{"num_attention_heads": 8, "num_key_value_heads": null, "num_kv_heads": 6}'
import '{"hidden_size": 8, "num_experts": 0, "num_experts_per_tok": 0}'
verdict "no experts are not said to be some" sh -c '! grep -q expert out'

# ---- latent attention ------------------------------------------------------------
for key in kv_lora_rank qk_rope_head_dim; do
    import "{\"num_attention_heads\": 4, \"hidden_size\": 64, \"$key\": 16}"
    verdict "$key is latent attention" grep -qx '  mla: true' out
    verdict "whose heads have no one width" sh -c \
        '! grep -q head_dim: out && grep -qF "head_dim (heads of latent attention" err'
done
import '{"num_attention_heads": 4, "hidden_size": 64, "kv_lora_rank": null}'
verdict "a key without a value is none" sh -c \
    'grep -qx "  mla: false" out && grep -qx "  head_dim: 16" out'

# ---- layers that do not attend ---------------------------------------------------
kinds() # TRUTH WORD...
{
    truth=$1
    shift
    import "{\"hidden_size\": 8, \"layer_types\": [$(printf '"%s", ' "$@")\"full_attention\"]}"
    grep -qx "  linear_attention: $truth" out
}
verdict "layers that attend over a window or chunks attend" \
    kinds false full_attention sliding_attention chunked_attention
for word in linear_attention conv recurrent mamba; do
    verdict "$word does not" kinds true full_attention "$word"
done
import '{"hidden_size": 8}'
verdict "where nothing is said, nothing is known" sh -c '! grep -q linear_attention out'

# ---- where the text model stands -------------------------------------------------
missing=
for part in thinker_config text_config language_config llm_config \
    language_model_config text_model_config decoder; do
    import "{\"hidden_size\": 9, \"$part\": {\"hidden_size\": 6, \"odd_thing\": 1}}"
    grep -qx "  hidden: 6" out && grep -qx "# hidden: $part.hidden_size" out &&
        grep -qF "not known here: $part.odd_thing" err || missing="$missing $part"
done
verdict "the text model is found in a part of the file" test -z "$missing"
import '{"thinker_config": {"text_config": {"hidden_size": 6}}}'
verdict "and in a part of a part" \
    grep -qx "# hidden: thinker_config.text_config.hidden_size" out

# ---- what was not read -----------------------------------------------------------
import '{"hidden_size": 8, "num_attention_heads": 4, "num_key_value_heads": "2"}'
verdict "heads that are said otherwise than by a number are not guessed" \
    sh -c '! grep -q kv_heads: out && grep -qF "num_key_value_heads" err'
import '{"hidden_size": 8, "num_attention_heads": 4, "head_dim": 2.5}'
verdict "nor is their width" sh -c '! grep -q head_dim: out &&
    grep -qF "head_dim (it is said otherwise than by a number)" err'
import '{"hidden_size": 8, "num_experts": "many"}'
verdict "nor whether there are experts" \
    grep -qF "experts (it is said otherwise than by a number)" err
import '{"hidden_size": 8, "sliding_window": 4, "attention_chunk_size": 4,
    "shared_experts": 2, "mamba_heads": 3, "torch_dtype": "bf16", "rope_theta": 1e4,
    "bos_token_id": 1, "rms_norm_eps": 1e-6, "attention_dropout": 0.5,
    "architectures": ["Net"], "hidden_act": "silu", "routed_scaling_factor": 2.5}'
verdict "what may matter is said" grep -q \
    'not known here: sliding_window, attention_chunk_size, shared_experts, mamba_heads$' err

done_testing
