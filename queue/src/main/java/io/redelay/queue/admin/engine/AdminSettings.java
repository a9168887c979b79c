package io.redelay.queue.admin.engine;

import java.util.Map;

import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.message.LengthLimit;

/**
 * The settings of a {@link QueueAdminTemplate}.
 *
 * @param instance the display name of this instance
 * @param limits how many messages single queues and their lines may have, by name
 * @param edits how waiting messages may be changed
 * @since 0.1.0
 */
public record AdminSettings(String instance, Map<String, LengthLimit> limits, EditRules edits) {

}
