package io.redelay.queue.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.SavedRunState;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.wire.QueueKeys;

/**
 * The part of a claim that goes together with acknowledgements: the keys of the queues
 * that messages are sent to, which are behind all other keys, and the texts.
 */
final class CompletionCall {

	private final NextMessageTexts next;

	private final List<Object> keys;

	/**
	 * Where the key of recurring messages is; 0 if no state of one is saved.
	 */
	private final int recurring;

	/**
	 * Collects the keys of all queues to which messages can be sent in the same step.
	 * @param own the keys of the queue of the acknowledged messages
	 * @param keysOf the keys of any queue
	 * @param clustered whether only queues of the same slot can be reached
	 * @param first the place of the first key that is collected, from 1
	 */
	CompletionCall(QueueKeys own, Function<String, QueueKeys> keysOf, boolean clustered, List<Settlement> settlements,
			int first) {
		this.next = new NextMessageTexts(own, keysOf, clustered, first);
		boolean savesState = false;
		for (Settlement settlement : settlements) {
			Completion completion = settlement.completion();
			if (completion != null) {
				for (CompletionSection section : completion.sections()) {
					savesState |= section instanceof SavedRunState;
					if (section instanceof NextMessage message) {
						this.next.collect(message, completion.isAgain());
					}
				}
			}
		}
		this.keys = new ArrayList<>(this.next.keys());
		this.recurring = savesState ? first + this.keys.size() : 0;
		if (savesState) {
			this.keys.add(own.recurring());
		}
	}

	List<Object> keys() {
		return this.keys;
	}

	byte[] text(Completion completion) {
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		for (CompletionSection section : completion.sections()) {
			byte[] content = (section instanceof NextMessage message)
					? this.next.text(message, completion.isAgain(), true)
					: (section instanceof SavedRunState saved) ? text(saved) : section.text();
			text.writeBytes(utf8(section.type() + Integer.toString(content.length) + ":"));
			text.writeBytes(content);
		}
		return text.toByteArray();
	}

	private byte[] text(SavedRunState saved) {
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		text.writeBytes(utf8(this.recurring + " "));
		text.writeBytes(saved.text());
		return text.toByteArray();
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
