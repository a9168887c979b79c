package io.redelay.queue.message;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Uids}.
 */
class UidsTests {

	@Test
	void uidsInTheOrderOfTheirTextAreInTheOrderInWhichTheyWereGiven() {
		Uids uids = new Uids();
		List<String> given = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			given.add(uids.next());
		}
		assertThat(given).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void theOrderHoldsWhereTheNumberHasNoDigitLeft() {
		// 36 to the power of 6
		long numbers = 2_176_782_336L;
		for (long end : List.of(numbers, 2 * numbers, 36 * numbers)) {
			Uids uids = new Uids(0, end - 2);
			List<String> given = List.of(uids.next(), uids.next(), uids.next(), uids.next());
			assertThat(given).isSorted().doesNotHaveDuplicates();
		}
	}

	@Test
	void allHaveTheSameLength() {
		assertThat(new Uids(0, 0).next()).isEqualTo("000000000000-000000");
		Set<Integer> lengths = new HashSet<>();
		for (int i = 0; i < 500; i++) {
			lengths.add(new Uids().next().length());
			lengths.add(Uids.instance().length() + 7);
		}
		assertThat(lengths).containsExactly(19);
	}

}
