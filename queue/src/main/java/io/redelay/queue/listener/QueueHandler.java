package io.redelay.queue.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueListener;

import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks one of several methods of a bean whose class has a {@link QueueListener}. Each
 * message goes to the method that handles its payload type: the logical name that
 * {@link PayloadType} gives the class of the payload at its sender, or that
 * {@link OutboundMessage#payloadType(String)} gives the message. No class name is sent.
 * <p>
 * The method may take what a method with a {@link QueueListener} may take. A message
 * whose payload type no method handles counts as one that cannot be converted, see
 * {@link QueueListener#onConversionFailure()}.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
public @interface QueueHandler {

	/**
	 * The payload types that the method handles.
	 * @return their names, of which one string may hold several with commas between them,
	 * and which resolve <code>${…}</code> and <code>#{…}</code>; by default the name that
	 * {@link PayloadType} gives the type of the parameter for the payload
	 */
	String[] value() default {};

	/**
	 * Whether the method handles the messages that no other one handles: those of other
	 * payload types, and those of none.
	 * @return {@code false} by default
	 */
	boolean isDefault() default false;

}
