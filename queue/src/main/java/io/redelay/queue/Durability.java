package io.redelay.queue;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * Which copies of a message must exist before its send returns. Redis answers a send when
 * its master has the message in memory; a master that is lost a moment later takes with
 * it what no replica and no file had yet.
 *
 * @param replicas how many replicas are to have the message, 0 to 100
 * @param appendOnlyFile whether the master is to have the message in its append-only
 * file, written to the disk; and so are the replicas, if there are to be some. Needs
 * Redis 7.2 and {@code appendonly yes}
 * @param timeout how long to wait for the copies, 1 ms to 30 s
 * @param required whether a send fails with a {@link SendNotDurableException} if the
 * copies are not there in time; otherwise its result reports it
 * @since 0.1.0
 */
public record Durability(int replicas, boolean appendOnlyFile, Duration timeout, boolean required) {

	private static final int MAX_REPLICAS = 100;

	private static final Duration MAX_TIMEOUT = Duration.ofSeconds(30);

	/**
	 * Validates the values.
	 */
	public Durability {
		Assert.isTrue(replicas >= 0 && replicas <= MAX_REPLICAS,
				() -> "'replicas' must be 0 to " + MAX_REPLICAS + ", not " + replicas);
		Assert.isTrue(replicas > 0 || appendOnlyFile,
				"'replicas' must be at least 1 if there is to be no copy in the append-only file");
		Assert.notNull(timeout, "'timeout' must not be null");
		Assert.isTrue(timeout.toMillis() >= 1 && timeout.compareTo(MAX_TIMEOUT) <= 0,
				() -> "'timeout' must be 1 ms to " + MAX_TIMEOUT.toSeconds() + " s, not " + timeout);
	}

	/**
	 * Waits until replicas have the message in memory.
	 * @param replicas how many, at least 1
	 * @param timeout how long to wait for them
	 * @return the durability, required
	 */
	public static Durability replicas(int replicas, Duration timeout) {
		return new Durability(replicas, false, timeout, true);
	}

	/**
	 * Waits until the master has the message in its append-only file, on the disk.
	 * @param timeout how long to wait for it
	 * @return the durability, required
	 */
	public static Durability appendOnlyFile(Duration timeout) {
		return new Durability(0, true, timeout, true);
	}

	/**
	 * Waits until the master and replicas have the message in their append-only files, on
	 * the disk.
	 * @param replicas how many replicas
	 * @param timeout how long to wait for them
	 * @return the durability, required
	 */
	public static Durability appendOnlyFile(int replicas, Duration timeout) {
		return new Durability(replicas, true, timeout, true);
	}

	/**
	 * Has a send succeed although the copies are not there in time.
	 * {@link SendResult#durability()} reports which there are.
	 * @return the durability, not required
	 */
	public Durability bestEffort() {
		return new Durability(this.replicas, this.appendOnlyFile, this.timeout, false);
	}

}
