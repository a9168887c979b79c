package io.redelay.queue.limits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link GroupName}.
 */
class GroupNameTests {

	@Test
	void aGroupHasAQueueWithItsTopicAndItsName() {
		String queue = GroupName.of("orders", "billing");
		assertThat(queue).isEqualTo("orders@billing");
		assertThat(GroupName.isGroup(queue)).isTrue();
		assertThat(GroupName.isGroup("orders")).isFalse();
		assertThat(GroupName.topicOf(queue)).isEqualTo("orders");
		assertThat(GroupName.groupOf(queue)).isEqualTo("billing");
		assertThat(GroupName.checkQueue(queue)).isEqualTo(queue);
	}

	@Test
	void theGroupsOfInstancesShareAName() {
		String queue = GroupName.of("orders", GroupName.ofInstance("k3x"));
		assertThat(GroupName.isOfInstance(GroupName.groupOf(queue))).isTrue();
		assertThat(GroupName.checkQueue(queue)).isEqualTo(queue);
		assertThat(GroupName.lowCardinality(queue)).isEqualTo("orders@_");
		assertThat(GroupName.lowCardinality("orders@billing")).isEqualTo("orders@billing");
		assertThat(GroupName.lowCardinality("orders")).isEqualTo("orders");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "@", "a@", "@b", "a@b@c", "a@b c", "_a@b", "a@_", "a@-b" })
	void otherNamesAreRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> GroupName.checkQueue(name));
	}

}
