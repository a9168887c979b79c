package io.redelay.queue.send;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendResult;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.SendReply;

/**
 * A message that was checked, converted and shown to the interceptors, and that is stored
 * elsewhere, such as in an outbox, until it is sent: see {@link DeferredSends}.
 *
 * @since 0.1.0
 */
public final class DeferredMessage {

	private final PreparedMessage prepared;

	DeferredMessage(PreparedMessage prepared) {
		this.prepared = prepared;
	}

	/**
	 * Returns the message as the interceptors left it.
	 * @return the message
	 */
	public OutboundMessage message() {
		return this.prepared.message();
	}

	/**
	 * Returns what is to be kept and sent.
	 * @return the message as it goes to the store
	 */
	public NewMessage entry() {
		return this.prepared.entry();
	}

	/**
	 * Returns the result if the message is sent now and added.
	 * @return the estimate
	 */
	public SendResult estimate() {
		return this.prepared.estimate();
	}

	/**
	 * Returns the result if the message is published now.
	 * @return the estimate, which names no group
	 */
	public PublishResult publishEstimate() {
		return this.prepared.publishEstimate();
	}

	/**
	 * Ends the observation of the send: the message is kept.
	 */
	public void kept() {
		this.prepared.observation().stop();
	}

	/**
	 * Notifies the interceptors that the message will be sent.
	 */
	public void promised() {
		this.prepared.sent(estimate());
	}

	/**
	 * Ends the observation of the send, and notifies the interceptors of its outcome.
	 * @param reply what became of the request
	 * @param position the position of the message in the request
	 */
	public void sent(SendReply reply, int position) {
		kept();
		this.prepared.sent(this.prepared.result(reply.time(), reply.fates().get(position)));
	}

	/**
	 * Notifies the interceptors that the message will not be sent, and ends the
	 * observation if it has not ended.
	 * @param failure why
	 */
	public void abandoned(Throwable failure) {
		this.prepared.abandon(failure);
	}

}
