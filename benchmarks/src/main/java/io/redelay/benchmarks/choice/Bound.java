package io.redelay.benchmarks.choice;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;
import io.redelay.benchmarks.Spread;

/**
 * What a figure must be.
 *
 * @param ofRatio whether it is about the ratio of the figure to the one it is compared
 * with, and not about the figure itself
 * @param atLeast whether the limit is the least, and not the most
 * @param limit the limit
 */
record Bound(boolean ofRatio, boolean atLeast, double limit) {

	static Bound ratioAtMost(double limit) {
		return new Bound(true, false, limit);
	}

	static Bound ratioAtLeast(double limit) {
		return new Bound(true, true, limit);
	}

	static Bound atMost(double limit) {
		return new Bound(false, false, limit);
	}

	boolean isMet(Spread values, Spread ratios) {
		double median = (this.ofRatio ? ratios : values).median();
		return this.atLeast ? median >= this.limit : median <= this.limit;
	}

	@JsonValue
	@Override
	public String toString() {
		return String
			.format(Locale.ROOT, "%s%s %,.4g", this.ofRatio ? "ratio " : "", this.atLeast ? "≥" : "≤", this.limit)
			.replaceAll("(\\.\\d*?)0+$", "$1")
			.replaceAll("\\.$", "");
	}

}
