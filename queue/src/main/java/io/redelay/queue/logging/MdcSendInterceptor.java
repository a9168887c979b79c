package io.redelay.queue.logging;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import org.slf4j.MDC;

/**
 * Copies entries of the sender's MDC to headers of the message. A header of the same name
 * that the sender set itself is kept.
 *
 * @since 0.1.0
 */
public final class MdcSendInterceptor implements SendInterceptor {

	private final List<String> keys;

	/**
	 * Creates an interceptor.
	 * @param keys the entries to carry
	 */
	public MdcSendInterceptor(List<String> keys) {
		this.keys = List.copyOf(keys);
	}

	@Override
	public OutboundMessage beforeSend(OutboundMessage message) {
		Map<String, Object> headers = null;
		for (String key : this.keys) {
			String value = MDC.get(key);
			if (value != null && !message.headers().containsKey(QueueMdc.HEADER_PREFIX + key)) {
				headers = (headers != null) ? headers : new LinkedHashMap<>(message.headers());
				headers.put(QueueMdc.HEADER_PREFIX + key, value);
			}
		}
		return (headers != null) ? message.headers(headers) : message;
	}

}
