package io.redelay.benchmarks.peers.contender;

import java.io.Serial;

/**
 * Thrown when a contender has no such thing.
 *
 * @since 0.1.0
 */
public final class NotOfferedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * Creates one.
	 * @param reason what there is not, and why
	 */
	public NotOfferedException(String reason) {
		super(reason);
	}

}
