package io.redelay.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a class of payloads a logical name. Messages with such a payload carry the name,
 * unless {@link OutboundMessage#payloadType(String)} gives another one, and a
 * {@link io.redelay.queue.listener.QueueHandler} method that takes the class handles
 * them. The name outlives a renaming of the class, and senders and listeners may have
 * different classes for it.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface PayloadType {

	/**
	 * The name.
	 * @return 1 to 256 characters, none of them a control character, as in
	 * {@code order-placed}
	 */
	String value();

}
