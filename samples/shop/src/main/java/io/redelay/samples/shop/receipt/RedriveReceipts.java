package io.redelay.samples.shop.receipt;

import io.redelay.queue.admin.DeadLetterFilter;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * Which dead receipts are to be mailed again, and how many a second: all, at once, where
 * nothing is said.
 */
record RedriveReceipts(@Size(min = 1) @Nullable String exception, @Size(min = 1) @Nullable String text,
		@DecimalMin("0.01") @DecimalMax("1000") @Nullable Double perSecond) {

	static final RedriveReceipts ALL = new RedriveReceipts(null, null, null);

	DeadLetterFilter filter() {
		DeadLetterFilter filter = DeadLetterFilter.all();
		if (this.exception != null) {
			filter = filter.exception(this.exception);
		}
		if (this.text != null) {
			filter = filter.text(this.text);
		}
		return filter;
	}

}
