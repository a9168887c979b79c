package io.redelay.template;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The context in which the expressions of one message are evaluated.
 */
final class MessageContext extends CallContext {

	private final MessageScope scope;

	MessageContext(StandardEvaluationContext shared, MessageScope scope) {
		super(shared);
		this.scope = scope;
	}

	@Override
	public TypedValue getRootObject() {
		return new TypedValue(this.scope);
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		return switch (name) {
			case "payload" -> this.scope.payload();
			case "headers" -> this.scope.headers();
			case "queue" -> this.scope.queue();
			case "id" -> this.scope.id();
			default -> null;
		};
	}

}
