package io.redelay.queue.recurring.engine;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link StoredRecurring}.
 */
class StoredRecurringTests {

	@Test
	void whatAnEarlierVersionDidNotKeepIsAsIfItWereZero() {
		StoredRecurring read = StoredRecurring.read(JsonMapper.shared(), """
				uid
				{"declaration":{},"declarers":{"last":"i","present":[],"others":[]},"progress":{},"runs":[],
				"withdrawn":[],"later":1}""");
		assertThat(read).isNotNull();
		assertThat(read.revision()).isZero();
		assertThat(read.begun()).isZero();
	}

	@Test
	void whatCannotBeReadIsShownAsWhatItIs() {
		assertThatIllegalStateException().isThrownBy(() -> StoredRecurring.read(JsonMapper.shared(), "\n{}"));
		assertThatIllegalStateException().isThrownBy(() -> StoredRecurring.read(JsonMapper.shared(), "a\nb\u001b["))
			.withMessageContaining("cannot be read: 'a\\nb\\u001b['");
	}

}
