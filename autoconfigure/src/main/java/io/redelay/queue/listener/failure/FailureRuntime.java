package io.redelay.queue.listener.failure;

import java.util.List;

import io.redelay.queue.MessageRetryListener;
import tools.jackson.databind.json.JsonMapper;

/**
 * What all containers of an application share to record and to report failures.
 *
 * @param instance the name of this instance, for people
 * @param mapper writes what is recorded of failed attempts
 * @param retryListeners are told of failures
 * @since 0.1.0
 */
public record FailureRuntime(String instance, JsonMapper mapper, List<MessageRetryListener> retryListeners) {

}
