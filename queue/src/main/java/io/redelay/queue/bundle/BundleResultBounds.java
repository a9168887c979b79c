package io.redelay.queue.bundle;

import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * How much a bundle keeps of what the handlers of its messages return. Further results
 * are left out and counted, see {@link BundleResults#leftOut()}.
 *
 * @param each how large one result may be, as its {@code MessageConverter} writes it
 * @param together how large all results may be together, as JSON in the summary
 * @since 0.1.0
 */
public record BundleResultBounds(DataSize each, DataSize together) {

	private static final DataSize MOST = DataSize.ofMegabytes(4);

	/**
	 * 16 KB each, and 1 MB together.
	 */
	public static final BundleResultBounds DEFAULTS = new BundleResultBounds(DataSize.ofKilobytes(16),
			DataSize.ofMegabytes(1));

	/**
	 * Validates the values.
	 */
	public BundleResultBounds {
		Assert.notNull(each, "'each' must not be null");
		Assert.notNull(together, "'together' must not be null");
		Assert.isTrue(each.toBytes() > 0, () -> "'each' must be larger than nothing: " + each);
		Assert.isTrue(together.compareTo(each) >= 0 && together.compareTo(MOST) <= 0,
				() -> "'together' must be at least 'each', " + each + ", and at most " + MOST + ", for all results are"
						+ " in one message: " + together);
	}

}
