package io.redelay.docs.recipes;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;

import org.springframework.stereotype.Service;

@Service
class Exchange {

	@MyLock(name = "rates:#{currency}", lockStrategy = MyLockStrategy.SKIP_FAST, fallback = "isBeingRefreshed")
	public String refresh(String currency) {
		return "refreshed " + currency;
	}

	String isBeingRefreshed(String currency) {
		return currency + " is being refreshed elsewhere";
	}

}
