#!/usr/bin/env python3
"""Plays a followed folder in which a file of 0.2 s appears and one disappears every 0.2 s, and prints memory, threads and
descriptors four times.

Usage: check-watch.py VPLAY SECONDS
"""
import os,subprocess,sys,time,shutil,tempfile,signal
v=sys.argv[1]; secs=float(sys.argv[2])
d=tempfile.mkdtemp(); src=d+'/.clip.mp4'
subprocess.run(['ffmpeg','-nostdin','-v','error','-f','lavfi','-i','testsrc=s=160x90:r=25','-t','0.2',src],check=True)
w=d+'/w'; os.mkdir(w)
out=open(d+'/out','w')
p=subprocess.Popen([v,'--video','null','--audio','null','--events','text','--watch',w],stdout=out,stderr=subprocess.PIPE)
n=0; start=time.monotonic()
def facts():
    st=open(f'/proc/{p.pid}/status').read()
    g=lambda k:[l.split()[1] for l in st.splitlines() if l.startswith(k)][0]
    played=sum('didPlayToEndTime' in l for l in open(d+'/out'))
    return f"files {n} played {played} rss {int(g('VmRSS:'))//1024} MB threads {g('Threads:')} fds {len(os.listdir(f'/proc/{p.pid}/fd'))}"
marks=[secs*k/4 for k in range(1,5)]
while marks:
    t=w+f'/.{n}'; shutil.copy(src,t); os.rename(t,w+f'/{n:06}.mp4')
    if n>=10: os.unlink(w+f'/{n-10:06}.mp4')
    n+=1; time.sleep(0.2)
    if time.monotonic()-start>marks[0]: print(f'{marks[0]:.0f} s:',facts(),flush=True); marks.pop(0)
p.send_signal(signal.SIGTERM); print('status',p.wait(10)); print(p.stderr.read().decode()[:600])
shutil.rmtree(d)
