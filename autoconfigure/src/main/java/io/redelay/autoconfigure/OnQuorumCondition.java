package io.redelay.autoconfigure;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if there are addresses of a quorum, however they are written.
 */
class OnQuorumCondition extends SpringBootCondition {

	private static final String ADDRESSES = "redelay.lock.quorum.addresses";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		List<String> addresses = Binder.get(context.getEnvironment())
			.bind(ADDRESSES, Bindable.listOf(String.class))
			.orElse(List.of());
		ConditionMessage.Builder message = ConditionMessage.forCondition("quorum of locks");
		return addresses.isEmpty() ? ConditionOutcome.noMatch(message.didNotFind("property").items(ADDRESSES))
				: ConditionOutcome.match(message.found("property").items(ADDRESSES));
	}

}
