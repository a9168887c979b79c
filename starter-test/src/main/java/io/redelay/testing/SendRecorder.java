package io.redelay.testing;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendResult;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Records the messages that the application sends, as its own interceptors left them.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
record SendRecorder(SentMessages sent) implements SendInterceptor {

	@Override
	public void afterSend(OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
		if (result != null) {
			this.sent.add(new SentMessage(message, result));
		}
	}

}
