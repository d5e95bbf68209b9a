(e=>{e.classList.add("tp-js");try{const t=localStorage.getItem("tp-theme");if(t==="light"||t==="dark")e.dataset.theme=t}catch{}})(document.documentElement)
