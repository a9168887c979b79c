package io.redelay.queue;

/**
 * A message is in Redis, but not all copies of it that its {@link Durability} requires
 * were there in time. If the master is lost now, the message may be lost too; otherwise
 * it is delivered. Sending the message again may send it twice, unless it has an id: then
 * it is a duplicate while the first one lives, and the copies are waited for again.
 *
 * @since 0.1.0
 */
public class SendNotDurableException extends SendOutcomeUnknownException {

	private final transient SendResult result;

	public SendNotDurableException(String message, SendResult result) {
		super(message, null);
		this.result = result;
	}

	/**
	 * Returns what became of the message, and which copies of it there are.
	 * @return the result
	 */
	public SendResult getResult() {
		return this.result;
	}

}
