package io.redelay.queue.listener;

import io.redelay.queue.listener.failure.ConversionFailure;
import io.redelay.queue.store.Expiration;

/**
 * Decides whether the handler may be called for a delivery that was claimed a while ago.
 */
final class DeliveryOpening {

	private DeliveryOpening() {
	}

	/**
	 * Reads the envelope and checks whether the handler may be called for the message. If
	 * it may not, this method settles the message.
	 * @return whether the handler may be called
	 */
	static boolean open(Delivery delivery) {
		if (delivery.isSettled()) {
			return false;
		}
		if (!delivery.owner().mayStart(delivery)) {
			delivery.giveBack();
			return false;
		}
		try {
			delivery.claim().read();
			return isAllowed(delivery);
		}
		catch (RuntimeException ex) {
			// Another program may have written the envelope.
			delivery.conversionFailed(ConversionFailure.exception("The envelope cannot be read", ex));
			return false;
		}
		catch (Error ex) {
			// Most likely an OutOfMemoryError, which need not occur at another attempt.
			delivery.settlement().failed(ex);
			return false;
		}
	}

	private static boolean isAllowed(Delivery delivery) {
		if (delivery.isGivenUp()) {
			delivery.settlement().giveUp();
			return false;
		}
		if (delivery.claim().hasCrashedTooOften()) {
			delivery.settlement().crashed();
			return false;
		}
		Expiration ending = delivery.claim().ending();
		if (ending != null) {
			delivery.settlement().expired(ending);
			return false;
		}
		return true;
	}

}
