package io.redelay.queue.send;

import java.util.List;

import io.redelay.log.PlainLog;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendResult;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The interceptors of a template, one around the other.
 *
 * @param interceptors the outermost first
 */
record SendInterceptors(List<SendInterceptor> interceptors) {

	private static final Log logger = PlainLog.of(SendInterceptors.class);

	/**
	 * Calls each interceptor. If one refuses the message, those called before are
	 * notified.
	 */
	OutboundMessage before(OutboundMessage message) {
		OutboundMessage current = message;
		for (int i = 0; i < this.interceptors.size(); i++) {
			try {
				current = before(this.interceptors.get(i), current);
			}
			catch (Throwable ex) {
				after(i, current, null, ex);
				throw ex;
			}
		}
		return current;
	}

	private static OutboundMessage before(SendInterceptor interceptor, OutboundMessage message) {
		OutboundMessage replaced = interceptor.beforeSend(message);
		if (replaced == null) {
			throw new IllegalStateException("The SendInterceptor " + interceptor.getClass().getName()
					+ " gave null for the " + message + "; return the message, or throw to refuse it");
		}
		return replaced;
	}

	void sent(OutboundMessage message, SendResult result) {
		after(this.interceptors.size(), message, result, null);
	}

	void failed(OutboundMessage message, Throwable failure) {
		after(this.interceptors.size(), message, null, failure);
	}

	private void after(int count, OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
		for (int i = count - 1; i >= 0; i--) {
			SendInterceptor interceptor = this.interceptors.get(i);
			try {
				interceptor.afterSend(message, result, failure);
			}
			catch (Throwable ex) {
				logger.warn("The SendInterceptor " + interceptor.getClass().getName() + " failed after the send of the "
						+ message + ", which changes nothing", ex);
			}
		}
	}

}
