package io.redelay.queue.observation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueTags}: each tag has only so many values.
 */
@ExtendWith(OutputCaptureExtension.class)
class QueueTagsTests {

	private final QueueTags tags = new QueueTags(2);

	@Test
	void showsQueuesWhileThereIsRoomAndReportsOnceWhenThereIsNone(CapturedOutput output) {
		assertThat(this.tags.queue("a")).isEqualTo("a");
		assertThat(this.tags.queue("b")).isEqualTo("b");
		assertThat(output).doesNotContain("redelay.metrics.max-queues");
		assertThat(this.tags.queue("c")).isEqualTo("other");
		assertThat(this.tags.queue("d")).isEqualTo("other");
		assertThat(this.tags.queue("a")).isEqualTo("a");
		assertThat(output.getAll().split("redelay.metrics.max-queues", -1)).hasSize(2);
	}

	@Test
	void aDeletedQueueMakesRoom() {
		this.tags.queue("a");
		this.tags.queue("b");
		this.tags.forget("a");
		assertThat(this.tags.queue("c")).isEqualTo("c");
		assertThat(this.tags.queue("a")).isEqualTo("other");
	}

	@Test
	void partitionsAndGroupsOfInstancesShareAName() {
		assertThat(this.tags.queue("a~7")).isEqualTo("a");
		assertThat(this.tags.queue("topic@_host-17")).isEqualTo("topic@_");
		assertThat(this.tags.queue("topic@_host-18")).isEqualTo("topic@_");
	}

	@Test
	void payloadTypesOfAQueueAreBounded() {
		for (int i = 0; i < QueueTags.MAX_PAYLOAD_TYPES; i++) {
			assertThat(this.tags.payloadType("a", "Type" + i)).isEqualTo("Type" + i);
		}
		assertThat(this.tags.payloadType("a", "One.More")).isEqualTo("other");
		assertThat(this.tags.payloadType("a", null)).isEqualTo("none");
		assertThat(this.tags.payloadType("b", "One.More")).isEqualTo("One.More");
		assertThat(this.tags.payloadType("b", "x".repeat(10_000))).isEqualTo("other");
	}

	@Test
	void exceptionsAreBounded() {
		assertThat(this.tags.exception("java.lang.IllegalStateException")).isEqualTo("IllegalStateException");
		for (int i = 0; i < QueueTags.MAX_EXCEPTIONS; i++) {
			this.tags.exception("E" + i);
		}
		assertThat(this.tags.exception("OneMore")).isEqualTo("other");
		assertThat(this.tags.exception("IllegalStateException")).isEqualTo("IllegalStateException");
		assertThat(this.tags.exception(null)).isEqualTo("none");
		assertThat(this.tags.exception("none")).isEqualTo("none");
	}

}
