package io.redelay.queue.logging;

import io.redelay.log.PlainLog;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.work.DeliveryInfo;
import org.apache.commons.logging.Log;

/**
 * Logs what is sent and what is handled at {@code DEBUG}, with the payload masked. The
 * name of this class is the name of its logger.
 *
 * @since 0.1.0
 */
public final class MessageLog {

	private static final Log logger = PlainLog.of(MessageLog.class);

	private final PayloadMasker masker;

	/**
	 * Creates a log.
	 * @param masker masks payloads
	 */
	public MessageLog(PayloadMasker masker) {
		this.masker = masker;
	}

	/**
	 * Logs that a message is about to be sent.
	 * @param queue the queue
	 * @param id its id, or else its uid
	 * @param payload the payload
	 * @param contentType the content type of the payload
	 */
	public void sending(String queue, String id, byte[] payload, String contentType) {
		logger.debug("Sending the message '" + id + "' to the queue '" + queue + "': " + mask(payload, contentType));
	}

	/**
	 * Logs that a message is about to be handled.
	 * @param delivery the delivery
	 * @param listener the id of the listener
	 * @param payload the payload as it was sent
	 * @param contentType the content type of the payload
	 */
	public void handling(DeliveryInfo delivery, String listener, byte[] payload, String contentType) {
		logger.debug("Handling the message '" + delivery.id() + "' of the queue '" + delivery.queue()
				+ "' with the listener '" + listener + "', attempt " + delivery.attempt() + ": "
				+ mask(payload, contentType));
	}

	/**
	 * Returns whether anything is logged; to be called before the other methods.
	 * @return whether it is
	 */
	public boolean isEnabled() {
		return logger.isDebugEnabled();
	}

	private String mask(byte[] payload, String contentType) {
		try {
			return this.masker.mask(payload, contentType);
		}
		catch (Throwable ex) {
			return payload.length + " bytes that the " + PayloadMasker.class.getSimpleName()
					+ " could not mask, for it failed with a " + ex.getClass().getName();
		}
	}

}
