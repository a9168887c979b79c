package io.redelay.queue.failure;

import java.util.List;

import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.measure.QueueMeters;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parts that all containers of an application share to record and report failures.
 *
 * @param instance the name of this instance, for people
 * @param mapper writes the records of failed attempts
 * @param retryListeners called for failures
 * @param meters count failed attempts
 * @since 0.1.0
 */
public record FailureRuntime(String instance, JsonMapper mapper, List<MessageRetryListener> retryListeners,
		QueueMeters meters) {

}
