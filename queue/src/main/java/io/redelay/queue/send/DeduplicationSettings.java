package io.redelay.queue.send;

import java.util.function.Function;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.limits.KeyName;
import io.redelay.template.MessageScope;
import io.redelay.template.MessageTemplate;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of messages to one queue with the same key, where their senders do not
 * decide it.
 *
 * @param key the key
 * @param rule what becomes of messages with a key
 * @since 0.1.0
 */
public record DeduplicationSettings(MessageTemplate key, Function<String, Deduplication> rule) {

	/**
	 * Fills in what the sender did not say.
	 * @param message the message
	 * @param id the id that the message has, or else its uid
	 * @param settings what holds for its queue, if anything does
	 * @return the message
	 * @throws MessageSendException if the template gives no key, or another option of the
	 * message makes no sense then
	 */
	static OutboundMessage complete(OutboundMessage message, String id, @Nullable DeduplicationSettings settings) {
		if (settings == null || message.deduplication() != null) {
			return message;
		}
		String place = "'redelay.queue.queues." + message.queue() + ".deduplication'";
		try {
			String key = settings.key.text(new MessageScope(message.queue(), id, message.payload(), message.headers()));
			String problem = KeyName.problem(key);
			if (problem != null) {
				throw new MessageSendException(message + " was not sent: its key by " + place + " " + problem, null);
			}
			return message.deduplicate(settings.rule.apply(key));
		}
		catch (TemplateException | IllegalArgumentException ex) {
			throw new MessageSendException(
					message + " was not sent, for " + place + " does not fit it: " + ex.getMessage(), ex);
		}
	}

}
