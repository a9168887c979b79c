package io.redelay.template;

import java.util.Map;

/**
 * A message for which a text is made, as templates see it.
 *
 * @param queue the queue
 * @param id the id of the message
 * @param payload the payload
 * @param headers the headers
 * @since 0.1.0
 */
public record MessageScope(String queue, String id, Object payload, Map<String, ?> headers) {

}
