package io.redelay.queue.script;

import io.redelay.queue.request.StoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link GroupFilterText}.
 */
class GroupFilterTextTests {

	@Test
	void whatCannotBeReadIsShownAsWhatItIs() {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> GroupFilterText.parse("a\nb\u001b["))
			.withMessageContaining("the filter 'a\\nb\\u001b[' of a group cannot be read")
			.satisfies((failure) -> assertThat(failure.getCause()).hasMessageContaining("'a\\nb\\u001b['"));
	}

}
