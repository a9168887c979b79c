package io.redelay.test.extent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Extent}.
 */
class ExtentTests {

	private static final String PROPERTY = "redelay.test.full";

	private final String before = System.getProperty(PROPERTY, "");

	@AfterEach
	void restore() {
		System.setProperty(PROPERTY, this.before);
	}

	@Test
	void testsAreShortUnlessTheBuildIsFull() {
		System.setProperty(PROPERTY, "false");
		assertThat(Extent.of(1, 30)).isEqualTo(1);
		System.setProperty(PROPERTY, "true");
		assertThat(Extent.of(1, 30)).isEqualTo(30);
	}

}
