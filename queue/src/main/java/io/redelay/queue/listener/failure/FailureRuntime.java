package io.redelay.queue.listener.failure;

import java.util.List;

import io.redelay.queue.MessageRetryListener;
import io.redelay.queue.measure.QueueMeter;
import tools.jackson.databind.json.JsonMapper;

/**
 * What all containers of an application share to record and to report failures.
 *
 * @param instance the name of this instance, for people
 * @param mapper writes what is recorded of failed attempts
 * @param retryListeners are told of failures
 * @param meter is told of failed attempts
 * @since 0.1.0
 */
public record FailureRuntime(String instance, JsonMapper mapper, List<MessageRetryListener> retryListeners,
		QueueMeter meter) {

	/**
	 * What containers share that measure nothing.
	 */
	public FailureRuntime(String instance, JsonMapper mapper, List<MessageRetryListener> retryListeners) {
		this(instance, mapper, retryListeners, QueueMeter.NONE);
	}

}
