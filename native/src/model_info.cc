#include "model_info.h"

namespace troupe {

Napi::Object modelInfo(Napi::Env env, const Model& model) {
  const llama_model* llama = model.get();
  const llama_vocab* vocabulary = llama_model_get_vocab(llama);
  const bool recurrent = llama_model_is_recurrent(llama);
  const bool hybrid = llama_model_is_hybrid(llama);
  const char* chat = llama_model_chat_template(llama, nullptr);

  Napi::Object info = Napi::Object::New(env);
  info.Set("id", static_cast<double>(model.id()));
  info.Set("path", model.path());
  info.Set("architecture", model.architecture());
  info.Set("description", model.description());
  info.Set("parameters", static_cast<double>(llama_model_n_params(llama)));
  info.Set("weightBytes", static_cast<double>(llama_model_size(llama)));
  info.Set("contextTrain", llama_model_n_ctx_train(llama));
  info.Set("vocabulary", model.vocabulary().size());
  info.Set("embedding", llama_model_n_embd(llama));
  info.Set("layers", llama_model_n_layer(llama));
  info.Set("canRollBack", !recurrent && !hybrid);
  info.Set("recurrent", recurrent);
  info.Set("hybrid", hybrid);
  info.Set("slidingWindow", llama_model_n_swa(llama));
  info.Set("addBos", llama_vocab_get_add_bos(vocabulary));
  info.Set("bos", llama_vocab_bos(vocabulary));
  info.Set("eos", llama_vocab_eos(vocabulary));
  info.Set("template", chat == nullptr ? env.Null() : Napi::String::New(env, chat).As<Napi::Value>());
  info.Freeze();
  return info;
}

Napi::Object headerInfo(Napi::Env env, const Header& header) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("architecture", header.architecture);
  info.Set("fileBytes", static_cast<double>(header.fileBytes));
  info.Set("weightBytes", static_cast<double>(header.weightBytes));
  info.Set("contextTrain", static_cast<double>(header.contextTrain));
  info.Set("layers", static_cast<double>(header.layers));
  info.Set("cellBytes", static_cast<double>(header.cellBytes));
  return info;
}

}  // namespace troupe
