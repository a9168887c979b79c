package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.lock.MyLock;
import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Logs once, at {@code WARN}, that methods with {@link MyLock @MyLock} run without a lock
 * because locks are switched off.
 *
 * @since 0.1.0
 */
public final class UnlockedMyLockReporter implements BeanPostProcessor, BeanFactoryAware {

	private static final Log logger = PlainLog.of(UnlockedMyLockReporter.class);

	private final AtomicBoolean reported = new AtomicBoolean();

	private @Nullable MyLockOperationSource source;

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.source = new MyLockOperationSource((ConfigurableBeanFactory) beanFactory);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.source != null && !this.reported.get() && !(bean instanceof AopInfrastructureBean)) {
			MyLockMethods methods = MyLockMethods.of(bean, this.source);
			if (!methods.isEmpty() && this.reported.compareAndSet(false, true)) {
				report(methods.any(), beanName);
			}
		}
		return bean;
	}

	private static void report(Method method, String beanName) {
		logger.warn("Locks are switched off by redelay.lock.enabled=false, so methods with @MyLock run without a lock, "
				+ "like " + ClassUtils.getQualifiedMethodName(method) + " of the bean '" + beanName + "'");
	}

}
